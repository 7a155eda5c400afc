import { scopeAround } from "../../contract/write-scope.ts";
import type { FindScope } from "../base/in-transaction.ts";
import { locateResource } from "./locate.ts";

/** Creates the search for the scope of a write to a resource of an organization; NOT_FOUND if there is none. */
export function scopeOf(kind: string, id: string, organizationId: string): FindScope {
  return async (db) => scopeAround(await locateResource(db, kind, id, organizationId));
}
