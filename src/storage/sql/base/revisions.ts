import { type RawBuilder, sql } from "kysely";
import { notFound } from "../../../domain/base/errors.ts";
import { type Amounts, checkGrowth, type HolderKind } from "../../../domain/quotas.ts";
import type { Tx } from "../../db/db.ts";
import { build, prepare, type SlotOf } from "../../db/query.ts";
import { checkCountedGrowth, LIMITED_BY_ORGANIZATION, PROJECT_USAGE, toUsage } from "./usage.ts";

/** Returns the first revision of a new organization or project, above all revisions of earlier ones with its id. */
export async function firstRevision(tx: Tx, kind: HolderKind, id: string): Promise<number> {
  const [row] = await tx.all(
    build
      .selectFrom("retired_counter")
      .select("change_count")
      .where("type", "=", kind)
      .where("id", "=", id),
  );
  return (row?.change_count ?? 0) + 1;
}

/** Saves the counter and uid of an organization or project that is about to be deleted. */
export async function retireCounter(tx: Tx, kind: HolderKind, id: string): Promise<void> {
  const last = build
    .selectFrom(kind)
    .select([sql.val(kind).as("type"), "id", "change_count", "uid"])
    .where("id", "=", id);
  const insert = build
    .insertInto("retired_counter")
    .columns(["type", "id", "change_count", "uid"])
    .expression(last)
    .onConflict((it) =>
      it.columns(["type", "id"]).doUpdateSet((eb) => ({
        change_count: eb.ref("excluded.change_count"),
        uid: eb.ref("excluded.uid"),
      })),
    );
  await tx.run(insert);
}

type ById = { readonly id: string };

const COUNT_OF_ORGANIZATION = prepare((slot: SlotOf<ById>) =>
  countChange("organization", slot("id")),
);
const COUNT_OF_PROJECT = prepare((slot: SlotOf<ById>) => countChange("project", slot("id")));
interface OwnProject extends ById {
  readonly organizationId: string;
  readonly items: number;
  readonly bytes: number;
  readonly keys: number;
}

const COUNT_OF_OWN_PROJECT = prepare((slot: SlotOf<OwnProject>) =>
  countChange("project", slot("id"))
    .set((eb) => ({
      item_count: eb("item_count", "+", slot("items")),
      byte_count: eb("byte_count", "+", slot("bytes")),
      key_count: eb("key_count", "+", slot("keys")),
    }))
    .where("organization_id", "=", slot("organizationId"))
    .returning([...PROJECT_USAGE, LIMITED_BY_ORGANIZATION.as("is_limited")]),
);

function countChange(table: HolderKind, id: RawBuilder<string>) {
  return build
    .updateTable(table)
    .set((eb) => ({ change_count: eb("change_count", "+", 1) }))
    .where("id", "=", id)
    .returning("change_count");
}

/**
 * Increments the change counter of an organization's project and returns it as the revision of a write. Adds the
 * growth of the write to the project. NOT_FOUND if the organization has no such project, `QUOTA_EXCEEDED` if the
 * growth exceeds a quota of the project or the organization.
 */
export async function nextRevision(
  tx: Tx,
  id: string,
  organizationId: string,
  growth: Amounts = {},
): Promise<number> {
  const { items = 0, bytes = 0, keys = 0 } = growth;
  const [row] = await tx.all(COUNT_OF_OWN_PROJECT({ id, organizationId, items, bytes, keys }));
  if (row === undefined) throw notFound("project", id);
  checkGrowth({ kind: "project", id }, toUsage(row), growth);
  if (row.is_limited !== null && (items > 0 || bytes > 0)) {
    await checkCountedGrowth(tx, { kind: "organization", id: organizationId }, growth);
  }
  return row.change_count;
}

/** Increments the change counter of a project of any organization. */
export async function nextProjectRevision(tx: Tx, id: string): Promise<number> {
  return revisionOf(await tx.all(COUNT_OF_PROJECT({ id })), "project", id);
}

/** Increments an organization's change counter, for resources outside its projects. */
export async function nextOrganizationRevision(tx: Tx, id: string): Promise<number> {
  return revisionOf(await tx.all(COUNT_OF_ORGANIZATION({ id })), "organization", id);
}

function revisionOf(
  [row]: readonly { readonly change_count: number }[],
  type: string,
  id: string,
): number {
  if (row === undefined) throw notFound(type, id);
  return row.change_count;
}
