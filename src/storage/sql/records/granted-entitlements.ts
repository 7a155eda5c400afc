import { create } from "@bufbuild/protobuf";
import type { Selectable } from "kysely";
import {
  type Entitlement,
  EntitlementSchema,
} from "../../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { listEntitlementReferences } from "../../../domain/references.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import type { Schema } from "../../db/schema.ts";
import { addReferences, eraseReferences } from "../references.ts";
import { microsToTimestamp, timeColumn, UNSET_TIME } from "../times.ts";

type Row = Pick<
  Selectable<Schema["entitlement"]>,
  "id" | "project_id" | "user_id" | "offer_id" | "start_time" | "end_time"
>;

/** Returns the stored form of an entitlement: without its offer's fields, times in microseconds. */
export function toGrantedEntitlement(entitlement: Entitlement): Entitlement {
  return readGrantedEntitlement(toRow(entitlement));
}

/** Returns the entitlement of a row, without its offer's fields. */
export function readGrantedEntitlement(row: Row): Entitlement {
  const { start_time, end_time } = row;
  return create(EntitlementSchema, {
    id: row.id,
    projectId: row.project_id,
    userId: row.user_id,
    offerId: row.offer_id,
    ...(start_time !== UNSET_TIME && { startTime: microsToTimestamp(start_time) }),
    ...(end_time !== UNSET_TIME && { endTime: microsToTimestamp(end_time) }),
  });
}

/** Creates or replaces a granted entitlement. */
export async function writeGrantedEntitlement(
  tx: Tx,
  entitlement: Entitlement,
  { organizationId, revision }: { readonly organizationId: string; readonly revision: number },
): Promise<void> {
  const { id, projectId } = entitlement;
  await tx.run(
    build
      .deleteFrom("entitlement")
      .where("organization_id", "=", organizationId)
      .where("id", "=", id),
  );
  await tx.run(
    build.insertInto("entitlement").values({
      organization_id: organizationId,
      ...toRow(entitlement),
      is_granted: 1,
      revision,
    }),
  );
  const resource = { type: "entitlement", id, projectId };
  await tx.run(eraseReferences(resource));
  await addReferences(tx, resource, listEntitlementReferences(entitlement));
}

function toRow(entitlement: Entitlement): Row {
  return {
    id: entitlement.id,
    project_id: entitlement.projectId,
    user_id: entitlement.userId,
    offer_id: entitlement.offerId,
    start_time: timeColumn(entitlement.startTime),
    end_time: timeColumn(entitlement.endTime),
  };
}
