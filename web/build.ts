/** Bundles the pages for browsers, each into its `dist/`, or into a folder of its name in the folder that is given. */
import { join, resolve } from "node:path";
import { build } from "vite";

const [folder] = process.argv.slice(2);

for (const name of ["reference", "studio"]) {
  const root = join(import.meta.dirname, name);
  await build({
    root,
    // Relative to the page, which may lie below a path of a proxy.
    base: "./",
    configFile: false,
    logLevel: "warn",
    build: {
      target: "es2023",
      outDir: folder === undefined ? join(root, "dist") : resolve(folder, name),
      emptyOutDir: true,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        output: { entryFileNames: `${name}/${name}.js`, assetFileNames: `${name}/${name}.[ext]` },
      },
    },
  });
}
