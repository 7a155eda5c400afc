import type { ListPagesResponse, Page } from "../../../packages/client/src/delivery.ts";
import { preview } from "../api.ts";
import { headersOf, type Version } from "../composer/page.ts";
import type { JsonOf } from "../drawing/json-of.ts";

/** Lists the pages of a project, as its releases have them at a time. */
export async function listPages(
  version: Version,
  seen = { country: "", time: "" },
  signal?: AbortSignal,
): Promise<readonly JsonOf<Page>[]> {
  const listed: JsonOf<Page>[] = [];
  let pageToken = "";
  do {
    const options = { ...version, headers: headersOf(seen), signal };
    const request = { pageSize: 100, pageToken };
    const { body } = await preview("svc.cda.ott.page.v1.PageService/ListPages", request, options);
    const { pages = [], nextPageToken = "" } = body as JsonOf<ListPagesResponse>;
    listed.push(...pages);
    pageToken = nextPageToken;
  } while (pageToken !== "");
  return listed;
}

/** The slugs of the page that is opened first; without one, a page that takes no parameter. */
const FIRST_SLUGS = ["home", "index"];

/** Finds the page of a slug, or the one that is opened first; undefined: there are no pages. */
export function findPage(pages: readonly JsonOf<Page>[], slug: string): JsonOf<Page> | undefined {
  return (
    pages.find((it) => it.slug === slug) ??
    pages.find((it) => FIRST_SLUGS.includes(it.slug ?? "")) ??
    pages.find(({ parameters = [] }) => parameters.length === 0) ??
    pages[0]
  );
}
