import { createServer } from "node:http";
import { createDeliveryClient, hasReason } from "@marquee/client";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { PageView } from "./page-view.ts";

// Renders each page at its slug, and keeps it until one of its tags is revalidated or 60 seconds are over.
const { MARQUEE_URL = "http://127.0.0.1:8080", PUBLIC_KEY, SECRET, PORT = "3000" } = process.env;
const LIFETIME = 60_000;

const delivery = createDeliveryClient({ url: MARQUEE_URL, key: PUBLIC_KEY });
let revalidations = 0;
const rendered = new Map<string, { html: string; tags: readonly string[]; endsAt: number }>();

/** Renders a page; its tags are the surrogate keys of the response. */
async function renderPage(slug: string): Promise<string> {
  const kept = rendered.get(slug);
  if (kept !== undefined && kept.endsAt > Date.now()) return kept.html;
  const before = revalidations;
  let tags: readonly string[] = [];
  const page = await delivery.page.getPage(
    { slug, includeItems: true, environment: "web" },
    { onHeader: (header) => (tags = header.get("surrogate-key")?.split(" ") ?? []) },
  );
  const html = `<!doctype html>${renderToStaticMarkup(createElement(PageView, { page }))}`;
  // What was revalidated meanwhile may be older than the change.
  if (before === revalidations) rendered.set(slug, { html, tags, endsAt: Date.now() + LIFETIME });
  return html;
}

function revalidate(changed: readonly string[]): void {
  revalidations += 1;
  for (const [slug, { tags }] of rendered) {
    if (tags.some((it) => changed.includes(it))) rendered.delete(slug);
  }
}

const server = createServer(async ({ method, url = "/", headers }, response) => {
  const { pathname, searchParams } = new URL(url, "http://site");
  if (pathname === "/revalidate") {
    const isAllowed =
      SECRET !== undefined && method === "POST" && headers.authorization === `Bearer ${SECRET}`;
    if (isAllowed) revalidate(searchParams.getAll("tag"));
    response.writeHead(isAllowed ? 204 : 403).end();
    return;
  }
  try {
    const html = await renderPage(pathname.slice(1) || "home");
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
