import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { createDeliveryClient, hasReason } from "@marquee/client";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { PageView, scoreOf } from "./page-view.ts";

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

/** Sends the score of a match, and again after each change, until the browser goes away. */
async function sendScores(id: string, response: ServerResponse): Promise<void> {
  const ended = new AbortController();
  response.on("close", () => ended.abort());
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };
  for await (const { event } of delivery.watch.event.getEvent({ id }, { signal: ended.signal })) {
    if (!response.headersSent) response.writeHead(200, headers);
    response.write(`data: ${scoreOf(event)}\n\n`);
  }
}

const liveScore = readFileSync(new URL("live-score.js", import.meta.url));
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
    if (url.pathname === "/live-score.js") {
      response.writeHead(200, { "content-type": "text/javascript" }).end(liveScore);
      return;
    }
    if (url.pathname === "/score")
      return await sendScores(url.searchParams.get("id") ?? "", response);
    const html = await renderPage(url);
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);
  } catch (cause) {
    const isMissing = hasReason(cause, "RESOURCE_NOT_FOUND");
    if (response.headersSent) response.end();
    else response.writeHead(isMissing ? 404 : 500).end();
    if (!isMissing) process.stderr.write(`${cause}\n`);
  }
});

server.listen(Number(PORT), "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
