import type { NodeRequest } from "../server/exchange.ts";
import { unsupportedMediaType } from "../server/refusal.ts";

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

/** Refuses a body that says that it is something else than JSON: 415. */
export function checkJsonType({ headers }: NodeRequest): void {
  const type = headers["content-type"];
  if (type !== undefined && !JSON_TYPE.test(type)) {
    throw unsupportedMediaType("the body must be application/json");
  }
}
