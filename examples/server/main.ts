import { createServer } from "node:http";
import { createDeliveryClient, hasReason } from "@marquee/client";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { PageView } from "./page-view.ts";
import { TaggedCache } from "./tagged-cache.ts";

// Renders each page of the demo at its slug, and keeps it until one of its tags is revalidated or 60 seconds are over.
const { env } = process;
const delivery = createDeliveryClient({
  url: env.MARQUEE_URL ?? "http://127.0.0.1:8080",
  key: env.PUBLIC_KEY ?? "",
});
const pages = new TaggedCache(60_000);

const server = createServer(async ({ method, url = "/", headers }, response) => {
  const { pathname, searchParams } = new URL(url, "http://site");
  if (pathname === "/revalidate") {
    const isAllowed = method === "POST" && headers.authorization === `Bearer ${env.SECRET}`;
    if (isAllowed) pages.revalidate(searchParams.getAll("tag"));
    response.writeHead(isAllowed ? 204 : 403).end();
    return;
  }
  try {
    const slug = pathname.slice(1) || "home";
    const html = await pages.get(slug, () => renderPage(slug));
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);
  } catch (cause) {
    const isMissing = hasReason(cause, "RESOURCE_NOT_FOUND");
    response.writeHead(isMissing ? 404 : 500).end();
    if (!isMissing) process.stderr.write(`${cause}\n`);
  }
});

/** Renders a page; its tags are the surrogate keys of what it was made of. */
async function renderPage(slug: string) {
  let tags: readonly string[] = [];
  const page = await delivery.page.getPage(
    { slug, includeItems: true, environment: "web" },
    { onHeader: (header) => (tags = header.get("surrogate-key")?.split(" ") ?? []) },
  );
  const html = `<!doctype html>${renderToStaticMarkup(createElement(PageView, { page }))}`;
  return { html, tags };
}

server.listen(Number(env.PORT ?? 3000), "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
