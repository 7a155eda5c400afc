import type { DescMethod, JsonObject } from "@bufbuild/protobuf";
import type { Probe } from "./probes.ts";
import type { LeakServices } from "./service.ts";
import { callOnWire, type Form, type WireResponse } from "./wire.ts";

/** One request in one form, and the response of each service. */
export interface Exchange {
  readonly probe: Probe;
  readonly form: Form;
  readonly all: WireResponse;
  readonly withUnlisted: WireResponse;
  /** In JSON alone. */
  readonly publishedOnly?: WireResponse;
  /** The response of the service with all content to the preview key; in JSON alone. */
  readonly preview?: WireResponse;
}

/** A list that does not end is an error. */
const MOST_PAGES = 100;

/** Sends a request to every service in JSON, on to the list's end, and in one more form if given. */
export async function exchange(
  services: LeakServices,
  method: DescMethod,
  probe: Probe,
  form?: Form,
): Promise<Exchange[]> {
  const first = await exchangeOne(services, method, probe, "Connect JSON");
  const exchanges = [first];
  if (form !== undefined) exchanges.push(await exchangeOne(services, method, probe, form));
  let pageToken = readPageToken(first.all);
  for (let page = 1; pageToken !== undefined; page += 1) {
    if (page === MOST_PAGES) throw new Error(`no end: ${JSON.stringify(probe.message)}`);
    const message: JsonObject = { ...probe.message, pageToken };
    const next = await exchangeOne(services, method, { ...probe, message }, "Connect JSON");
    exchanges.push(next);
    pageToken = readPageToken(next.all);
  }
  return exchanges;
}

async function exchangeOne(
  { keys, viewerToken, ...urls }: LeakServices,
  method: DescMethod,
  probe: Probe,
  form: Form,
): Promise<Exchange> {
  const more = probe.isViewer ? { cookie: `viewer_token=${viewerToken}` } : {};
  const call = (url: string, key: string) =>
    callOnWire(url, method, probe.message, form, key, more);
  const isJson = form === "Connect JSON";
  // The preview key comes first: what it was shown must not be kept for others.
  const seen = isJson && { preview: await call(urls.all, keys.preview) };
  const [all, withUnlisted, publishedOnly] = await Promise.all([
    call(urls.all, keys.public),
    call(urls.withUnlisted, keys.public),
    isJson ? call(urls.publishedOnly, keys.public) : undefined,
  ]);
  return { probe, form, all, withUnlisted, ...(publishedOnly && { publishedOnly }), ...seen };
}

/** Reads the token of the next page out of a response in JSON; undefined: there is none. */
export function readPageToken(response: WireResponse | undefined): string | undefined {
  if (response?.status !== 200) return undefined;
  const { nextPageToken } = JSON.parse(response.body.toString()) as { nextPageToken?: string };
  return nextPageToken;
}
