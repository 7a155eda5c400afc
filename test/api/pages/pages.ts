import { expect } from "vitest";
import type { HttpResponse } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { callDelivery, type Key, type WAYS } from "../delivery.ts";
import type { JsonMessage } from "../methods.ts";
import { callRest } from "../studio.ts";

type Service = Pick<Marquee, "url" | "keys">;
type Way = (typeof WAYS)[number];

const PAGES = "svc.cda.ott.page.v1.PageService";
const COMPONENTS = "svc.cda.ott.page_component.v2.PageComponentService";

/** Calls GetPage. */
export function getPage(service: Service, message: JsonMessage, key?: Key, way?: Way) {
  return callDelivery(service, `${PAGES}/GetPage`, message, key, way);
}

/** Calls ListPages. */
export function listPages(service: Service, message: JsonMessage, key?: Key, way?: Way) {
  return callDelivery(service, `${PAGES}/ListPages`, message, key, way);
}

/** Calls GetPageComponent. */
export function getComponent(service: Service, message: JsonMessage, key?: Key, way?: Way) {
  return callDelivery(service, `${COMPONENTS}/GetPageComponent`, message, key, way);
}

/** Calls ListPageComponentItems. */
export function listItems(service: Service, message: JsonMessage, key?: Key, way?: Way) {
  return callDelivery(service, `${COMPONENTS}/ListPageComponentItems`, message, key, way);
}

/** A component as a response shows it, in JSON. */
export interface ShownJson {
  readonly component: { readonly id: string; readonly groupId: string; readonly type: string };
  readonly filter?: string;
  readonly search?: string;
  readonly hidden?: boolean;
  readonly pinned?: readonly string[];
  readonly items?: readonly object[];
  readonly itemsNextPageToken?: string;
  readonly bannerCollection?: { readonly id: string };
  readonly offers?: readonly { readonly id: string }[];
}

/** The components that a response of GetPage shows, by id, in order. */
export function componentsOf(got: HttpResponse): ReadonlyMap<string, ShownJson> {
  expect(got.status, got.text).toBe(200);
  const components: readonly ShownJson[] = got.json.components ?? [];
  return new Map(components.map((it) => [it.component.id, it]));
}

/** What a response of GetPage says of the components that it leaves out. */
export function droppedOf(got: HttpResponse): readonly (readonly string[])[] {
  expect(got.status, got.text).toBe(200);
  const dropped: readonly Record<string, string>[] = got.json.dropped ?? [];
  return dropped.map(({ componentId = "", field = "", variable = "", reason = "" }) => [
    ...[componentId, field, variable, reason],
  ]);
}

/** The ids of items of any kind. */
export function itemIds(items: readonly object[] = []): readonly string[] {
  return items.flatMap((item) => Object.values(item).map((it: { id: string }) => it.id));
}

/** Reads the items of a component to their end, page by page. */
export async function readItems(
  service: Service,
  message: JsonMessage,
  pageSize: number,
  key?: Key,
): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let pageToken = "";
  do {
    const got = await listItems(service, { ...message, pageSize, pageToken }, key);
    expect(got.status, got.text).toBe(200);
    pages.push(itemIds(got.json.items));
    pageToken = got.json.nextPageToken ?? "";
  } while (pageToken !== "" && pages.length < 500);
  return pages;
}

/** Changes a component as the owner; `update` and `mask` go into the body as they are. */
export function patchComponent(marquee: Marquee, id: string, update: unknown, mask: unknown) {
  const body = { page_component_update: update, update_mask: mask };
  return callRest(marquee, "PATCH", `ott/page_components/v2/${encodeURIComponent(id)}`, body);
}

/** Reads a component as operation 8 shows it, to see whether something was written. */
export async function readComponent(marquee: Marquee, id: string): Promise<HttpResponse> {
  const got = await callRest(
    marquee,
    "GET",
    `ott/page_components/v1/batch?page_component_ids=${id}`,
  );
  expect(got.status, got.text).toBe(200);
  return got;
}
