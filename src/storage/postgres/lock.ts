import { type RawBuilder, sql } from "kysely";
import type { WriteScope } from "../contract/write-scope.ts";
import type { Tx } from "../db/db.ts";
import { isShort } from "../sql/base/in-transaction.ts";
import { WIDE_TIMEOUT_MS } from "./client-settings.ts";
import { toPostgres } from "./postgres-transaction.ts";

/** The names of advisory locks, which the server knows by their hashes. */
const INSTALLATION = sql`hashtextextended('marquee installation', 0)`;
const ofOrganization = (id: RawBuilder<unknown>) =>
  sql`hashtextextended('marquee organization ' || ${id}, 0)`;

const SHARE_INSTALLATION = sql`select pg_advisory_xact_lock_shared(${INSTALLATION})`;

/**
 * Locks a scope until the transaction ends. A writer of projects locks their rows, in the order of their ids. It
 * shares an advisory lock with the other writers of each organization and of the installation. A writer of an
 * organization or of the installation takes that lock alone. Rows of organizations are not locked: sharing one would
 * write it for every writer. Statements of long transactions may take longer.
 */
export async function lockScope(tx: Tx, scope: WriteScope): Promise<void> {
  if (scope === "installation") {
    toPostgres(tx).timeoutMs = WIDE_TIMEOUT_MS;
    await tx.run(sql`select pg_advisory_xact_lock(${INSTALLATION})`);
  } else if ("organizationId" in scope) {
    toPostgres(tx).timeoutMs = WIDE_TIMEOUT_MS;
    await tx.run(SHARE_INSTALLATION);
    const lock = ofOrganization(sql`cast(${scope.organizationId} as text)`);
    await tx.run(sql`select pg_advisory_xact_lock(${lock})`);
  } else if (scope.projectIds.length > 0) {
    if (!isShort(scope)) toPostgres(tx).timeoutMs = WIDE_TIMEOUT_MS;
    await tx.run(SHARE_INSTALLATION);
    const among = sql`id = any(cast(${[...scope.projectIds]} as text[]))`;
    await tx.run(sql`
      with shared as materialized (
        select pg_advisory_xact_lock_shared(${ofOrganization(sql`organization_id`)})
        from (select distinct organization_id from project where ${among} order by 1) as organizations
      )
      select from project
      where ${among} and (select count(*) from shared) > 0 order by id for no key update
    `);
  }
}

/** Locks a project like {@link lockScope}, without waiting; false if another transaction has locked it. */
export async function tryLockProject(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.all(sql`
    select from project
    where id = ${id}
      and pg_try_advisory_xact_lock_shared(${INSTALLATION})
      and pg_try_advisory_xact_lock_shared(${ofOrganization(sql`organization_id`)})
    for no key update skip locked
  `);
  return rows.length > 0;
}

/** Locks a name until the transaction ends, for data without a scope. */
export async function lockName(tx: Tx, name: string): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 1))`);
}
