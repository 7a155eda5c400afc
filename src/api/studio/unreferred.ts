import { Code, DomainError } from "../../domain/errors.ts";
import type { StudioCall } from "../steps/studio-call.ts";

/** The maximum number of referrers in an error. */
const LISTED = 20;

/** Refuses to delete a resource that others refer to: FAILED_PRECONDITION `STILL_REFERRED_TO`, which lists them. */
export async function checkUnreferred(call: StudioCall, type: string, id: string): Promise<void> {
  const referrers = await call.store.referrers.list({ ...call.resource, type, id }, LISTED + 1);
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
