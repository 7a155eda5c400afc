import { type Amounts, checkGrowth, QUOTA_NAMES, type QuotaName } from "../../../domain/quotas.ts";
import type { RecordOwner } from "../../../domain/transfer/record.ts";
import type { Db, Tx } from "../../db/db.ts";
import { addUsage, readUsage } from "../usage.ts";

/** Counts what a record adds. `QUOTA_EXCEEDED` if what it lies in may not grow so far. */
export type Grow = (growth: Amounts) => void;

/** Counts what an import writes, in memory until its end, and holds it to the quotas. */
export interface ImportUsage {
  /** Adds an organization or project that the import creates, with its quotas. */
  add(holder: RecordOwner, quotas: Amounts): void;
  /** Opens the count of an owner, and of a project's organization with it. */
  open(owner: RecordOwner, organizationId: string): Promise<Grow>;
  /** Writes the counts. */
  end(tx: Tx): Promise<void>;
}

type Counts = Record<QuotaName, number>;

/** The usage of an organization or project, and what the import has added to it. */
interface Counted {
  readonly holder: RecordOwner;
  readonly used: Counts;
  readonly added: Counts;
  readonly quotas: Amounts;
  readonly isLimited: boolean;
}

/** Creates the count of one import; `db` is its transaction. */
export function createImportUsage(db: Db): ImportUsage {
  const known = { organization: new Map<string, Counted>(), project: new Map<string, Counted>() };

  function remember(holder: RecordOwner, used: Amounts, quotas: Amounts): Counted {
    const isLimited = QUOTA_NAMES.some((name) => (quotas[name] ?? 0) > 0);
    const counts = { used: { ...NOTHING, ...used }, added: { ...NOTHING } };
    const counted = { holder, ...counts, quotas, isLimited };
    known[holder.type].set(holder.id, counted);
    return counted;
  }

  async function find(holder: RecordOwner): Promise<Counted> {
    const open = known[holder.type].get(holder.id);
    if (open !== undefined) return open;
    const { used = {}, quotas = {} } = (await readUsage(db, holder)) ?? {};
    return remember(holder, used, quotas);
  }

  function count({ holder, used, added, quotas, isLimited }: Counted, growth: Amounts): void {
    for (const name of QUOTA_NAMES) {
      const grown = growth[name];
      if (grown === undefined) continue;
      used[name] += grown;
      added[name] += grown;
    }
    if (isLimited) checkGrowth(holder, { used, quotas }, growth);
  }

  return {
    add(holder, quotas) {
      remember(holder, {}, quotas);
    },

    async open(owner, organizationId) {
      const own = await find(owner);
      if (owner.type === "organization") return (growth) => count(own, growth);
      const organization = await find({ type: "organization", id: organizationId });
      return (growth) => {
        count(own, growth);
        count(organization, growth);
      };
    },

    async end(tx) {
      for (const { holder, added } of [...known.organization.values(), ...known.project.values()]) {
        await addUsage(tx, holder, added);
      }
    },
  };
}

const NOTHING: Counts = { items: 0, bytes: 0, keys: 0, accounts: 0, projects: 0 };
