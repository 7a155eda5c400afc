/** Bundles the preview into `dist/`, or into the folder that is named. */
import { join, resolve } from "node:path";
import { build } from "vite";

const [folder = join(import.meta.dirname, "dist")] = process.argv.slice(2);

await build({
  root: import.meta.dirname,
  // Relative to the page, which may lie below a path of a proxy.
  base: "./",
  configFile: false,
  logLevel: "warn",
  build: {
    target: "es2023",
    outDir: resolve(folder),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        entryFileNames: "preview/preview.js",
        assetFileNames: "preview/preview.[ext]",
      },
    },
  },
});
