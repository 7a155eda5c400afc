import { expect } from "vitest";
import { connectHeaders, getUrl } from "../harness/calls.ts";
import { type HttpResponse, send } from "../harness/http.ts";
import type { Marquee } from "../harness/marquee.ts";
import type { JsonMessage } from "./methods.ts";

/** Which of the demo's keys calls. */
export type Key = keyof Marquee["keys"];

/** The two ways to call a read of the delivery interface. */
export const WAYS = ["GET", "POST"] as const;

/** Calls a read of the delivery interface: `svc.cda.<package>.<Service>/<Method>`. */
export function callDelivery(
  { url, keys }: Pick<Marquee, "url" | "keys">,
  procedure: string,
  message: JsonMessage,
  key: Key = "public",
  way: (typeof WAYS)[number] = "GET",
): Promise<HttpResponse> {
  if (way === "GET")
    return send("GET", `${url}/${getUrl(procedure, message)}`, { token: keys[key] });
  return send("POST", `${url}/${procedure}`, { headers: connectHeaders(keys[key]), body: message });
}

/** Reads a list to its end; `field` is where the response has its records. Gives ids page by page. */
export async function readPages(
  call: (page: JsonMessage) => Promise<HttpResponse>,
  field: string,
  pageSize: number,
): Promise<string[][]> {
  const pages: string[][] = [];
  let pageToken = "";
  do {
    const got = await call({ pageSize, ...(pageToken !== "" && { pageToken }) });
    expect(got.status, got.text).toBe(200);
    pages.push(idsOf(got, field));
    pageToken = got.json.nextPageToken ?? "";
  } while (pageToken !== "" && pages.length < 200);
  return pages;
}

/** The ids of the records in a response. */
export function idsOf({ json }: HttpResponse, field: string): string[] {
  return (json[field] ?? []).map((it: { id: string }) => it.id);
}
