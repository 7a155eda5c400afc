import { createServer } from "node:http";
import { createDeliveryClient, hasReason } from "@marquee/client";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { PageView } from "./page-view.ts";

// Renders each page at its slug, and keeps it until one of its tags is revalidated or 60 seconds are over.
const { MARQUEE_URL = "http://127.0.0.1:8080", PUBLIC_KEY, SECRET, PORT = "3000" } = process.env;
const delivery = createDeliveryClient({ url: MARQUEE_URL, key: PUBLIC_KEY });
let revalidations = 0;
const rendered = new Map<string, { html: string; tags: readonly string[]; endsAt: number }>();

/** Renders the page of a URL; its tags are the surrogate keys of the response. */
async function renderPage({ pathname, search, searchParams }: URL): Promise<string> {
  const name = pathname + search;
  const kept = rendered.get(name);
  if (kept && kept.endsAt > Date.now()) return kept.html;
  const before = revalidations;
  let tags: readonly string[] = [];
  const slug = pathname.slice(1) || "home";
  const parameters = Object.fromEntries(searchParams);
  const page = await delivery.page.getPage(
    { slug, parameters, includeItems: true, environment: "web" },
    { onHeader: (header) => (tags = header.get("surrogate-key")?.split(" ") ?? []) },
  );
  const html = `<!doctype html>${renderToStaticMarkup(createElement(PageView, { page }))}`;
  if (rendered.size === 1_000) rendered.clear();
  // Not if a tag was revalidated in between: the page may be older than the change.
  if (before === revalidations) rendered.set(name, { html, tags, endsAt: Date.now() + 60_000 });
  return html;
}

function revalidate(changed: readonly string[]): void {
  revalidations += 1;
  for (const [name, { tags }] of rendered) {
    if (tags.some((it) => changed.includes(it))) rendered.delete(name);
  }
}

const server = createServer(async ({ method, url: path = "/", headers }, response) => {
  const url = new URL(path, "http://site");
  if (url.pathname === "/revalidate") {
    const isAllowed =
      SECRET !== undefined && method === "POST" && headers.authorization === `Bearer ${SECRET}`;
    if (isAllowed) revalidate(url.searchParams.getAll("tag"));
    response.writeHead(isAllowed ? 204 : 403).end();
    return;
  }
  try {
    const html = await renderPage(url);
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);
  } catch (cause) {
    const isMissing = hasReason(cause, "RESOURCE_NOT_FOUND");
    response.writeHead(isMissing ? 404 : 500).end();
    if (!isMissing) process.stderr.write(`${cause}\n`);
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
