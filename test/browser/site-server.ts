import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build, type Rolldown } from "vite";

/** A web server with the site of this folder, on an origin of its own. */
export interface Site {
  readonly origin: string;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = { html: "text/html", js: "text/javascript" };

/** Bundles the site, in memory, and serves it on a free port. */
export async function startSite(): Promise<Site> {
  const files = await bundle();
  const server = createServer(({ url = "/" }, response) => {
    const name = url === "/" ? "index.html" : url.slice(1);
    const content = files.get(name);
    const type = TYPES[name.split(".").at(-1) ?? ""] ?? "application/octet-stream";
    response.writeHead(content === undefined ? 404 : 200, { "content-type": type });
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bundle(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const { output } = (await build({
    root: join(import.meta.dirname, "site"),
    configFile: false,
    logLevel: "warn",
    build: { write: false, target: "es2022" },
  })) as Rolldown.RolldownOutput;
  return new Map(output.map((it) => [it.fileName, it.type === "chunk" ? it.code : it.source]));
}
