import type { HandlerContext } from "@connectrpc/connect";
import { Code, DomainError } from "../../domain/errors.ts";
import { findPart, getStore } from "../steps/call.ts";

/** The maximum number of referrers in an error. */
const LISTED = 20;

/** Refuses to delete a resource that others refer to: FAILED_PRECONDITION `STILL_REFERRED_TO`, which lists them. */
export async function checkUnreferred(
  { values }: HandlerContext,
  type: string,
  id: string,
): Promise<void> {
  const place = findPart(values, "resource");
  if (place === undefined) throw new Error(`the call that deletes ${type} ${id} has no resource`);
  const referrers = await getStore(values).referrers.list({ ...place, type, id }, LISTED + 1);
  if (referrers.length === 0) return;
  const names = referrers.slice(0, LISTED).map((it) => `${it.type}/${it.id}`);
  const more = referrers.length > LISTED ? " and others" : "";
  throw new DomainError(
    Code.FAILED_PRECONDITION,
    "STILL_REFERRED_TO",
    `${type} ${id} is referred to by ${names.join(", ")}${more}; set force to delete it anyway`,
    { metadata: { resource: `${type}/${id}`, referrers: names.join(",") } },
  );
}
