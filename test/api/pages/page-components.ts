import { type HttpAnswer, send } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";

/** Sends operation 1 as the owner; `update` and `mask` go into the body as they are. */
export function patchComponent(
  { url, tokens }: Marquee,
  id: string,
  update: unknown,
  mask: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpAnswer> {
  return send("PATCH", `${url}/ott/page_components/v2/${encodeURIComponent(id)}`, {
    token: tokens.owner,
    headers,
    body: { page_component_id: id, page_component_update: update, update_mask: mask },
  });
}

/** Reads a component as operation 8 shows it, to tell whether something was written. */
export async function readComponent({ url, tokens }: Marquee, id: string): Promise<HttpAnswer> {
  const query = new URLSearchParams({ page_component_ids: id });
  const answer = await send("GET", `${url}/ott/page_components/v1/batch?${query}`, {
    token: tokens.owner,
  });
  if (answer.status !== 200) throw new Error(`${id} cannot be read: ${answer.text}`);
  return answer;
}

/** Gets the name of the field that an error answer blames first. */
export function blamedField({ json }: HttpAnswer): string | undefined {
  const details: { "@type": string; field_violations?: { field: string }[] }[] = json.details;
  const request = details.find((it) => it["@type"] === "type.googleapis.com/google.rpc.BadRequest");
  return request?.field_violations?.[0]?.field;
}
