import { notFound } from "../../../domain/base/errors.ts";
import { settleAll } from "../../../domain/base/settle-all.ts";
import { type KindName, kindOf, type Owner } from "../../../domain/kinds.ts";
import {
  type Amounts,
  checkGrowth,
  type Holder,
  isHolder,
  sumAmounts,
} from "../../../domain/quotas.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { endStep } from "../base/in-transaction.ts";
import { firstRevision, nextOrganizationRevision, nextRevision } from "../base/revisions.ts";
import {
  addUsage,
  checkCountedGrowth,
  growOrganization,
  readUsage,
  type Usage,
} from "../base/usage.ts";
import type { Document } from "./document-kinds.ts";
import { locateResource } from "./locate.ts";

/** An organization or project that owns many of the writes of a unit. */
export interface OpenHolder extends Holder {
  readonly organizationId: string;
  /** Its usage before the unit. */
  readonly usage: Usage;
}

/** A write of a resource of an organization. */
export interface UnitWrite {
  readonly kind: KindName;
  readonly value: Document;
  readonly organizationId: string;
  readonly isNew: boolean;
  /** The amounts that it adds to its owner. */
  readonly growth: Amounts;
}

/**
 * The writes of one transaction, counted in the organizations and projects that own them. All changes in one of these
 * have the same revision, and let it grow within its quotas.
 *
 * A unit of many writes opens their owners first, and adds the growth at its end. A unit of one write does neither: the
 * statement that takes the revision adds the growth.
 */
export class WriteUnit {
  readonly tx: Tx;
  readonly #omitsRejected: boolean;
  readonly #open = new Map<string, OpenHolder>();
  /** The growth of the open owners. */
  readonly #growth = new Map<string, Amounts>();
  readonly #revisions = new Map<string, { readonly holder: Holder; readonly revision: number }>();

  /** `omitsRejected`: a write that the database rejects does not end the transaction. */
  constructor(tx: Tx, { omitsRejected = false }: { readonly omitsRejected?: boolean } = {}) {
    this.tx = tx;
    this.#omitsRejected = omitsRejected;
  }

  /** Opens an owner of writes; NOT_FOUND if it does not exist. */
  async open({ kind, id }: Holder): Promise<OpenHolder> {
    const key = keyOf({ kind, id });
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const usage = await readUsage(this.tx, { kind, id });
    if (usage === undefined) throw notFound(kind, id);
    const organizationId = kind === "organization" ? id : await this.#openOrganizationOf(id);
    const holder = { kind, id, organizationId, usage };
    this.#open.set(key, holder);
    return holder;
  }

  async #openOrganizationOf(projectId: string): Promise<string> {
    const select = build.selectFrom("project").select("organization_id");
    const [row] = await this.tx.all(select.where("id", "=", projectId));
    if (row === undefined) throw notFound("project", projectId);
    return (await this.open({ kind: "organization", id: row.organization_id })).id;
  }

  /** Lets an owner and its organization grow, if they are open; `QUOTA_EXCEEDED` for more than their quotas. */
  grow(owner: Owner | undefined, growth: Amounts): void {
    this.#add(owner, growth);
    try {
      for (const each of this.#listOpen(owner)) {
        const used = sumAmounts([each.usage.used, this.#growthOf(each)]);
        checkGrowth(each, { used, quotas: each.usage.quotas }, growth);
      }
    } catch (error) {
      this.shrink(owner, growth);
      throw error;
    }
  }

  /** Takes back the growth of a write that is omitted. */
  shrink(owner: Owner | undefined, growth: Amounts): void {
    this.#add(owner, negate(growth));
  }

  /** Returns the revision of the changes in an open owner. */
  revisionOf(holder: OpenHolder): Promise<number> {
    return this.#revisionOf(holder, holder.organizationId, {});
  }

  /**
   * Returns the revision of a write, and adds its growth to an owner that is not open. NOT_FOUND if the organization has no
   * such owner, `QUOTA_EXCEEDED`.
   */
  async count(write: UnitWrite): Promise<number> {
    const { kind, value, organizationId, isNew } = write;
    const { idOf, ownerOf } = kindOf(kind);
    const owner = ownerOf(value);
    const growth = this.#listOpen(owner).length > 0 ? {} : write.growth;
    if (isHolder(kind)) {
      const holder = { kind, id: idOf(value) };
      const [, revision] = await settleAll([
        this.#growOrganization(organizationId, growth),
        isNew
          ? firstRevision(this.tx, kind, holder.id)
          : this.#revisionOf(holder, organizationId, {}),
      ]);
      this.#revisions.set(keyOf(holder), { holder, revision });
      return revision;
    }
    if (owner === undefined) throw new Error(`a ${kind} has no owner that counts its changes`);
    if (owner.kind === "project") return this.#revisionOf(owner, organizationId, growth);
    if (owner.kind === "organization" && owner.id !== organizationId) {
      throw notFound("organization", owner.id);
    }
    const [, , revision] = await settleAll([
      owner.kind === "account" && locateResource(this.tx, "account", owner.id, organizationId),
      this.#growOrganization(organizationId, growth),
      this.#revisionOf({ kind: "organization", id: organizationId }, organizationId, {}),
    ]);
    return revision;
  }

  /** Runs statements that the database may reject. */
  write(run: (tx: Tx) => Promise<void>): Promise<void> {
    if (!this.#omitsRejected) return run(this.tx);
    return this.tx.transaction(async (tx) => {
      await run(tx);
      await endStep(tx);
    });
  }

  /** Lists the projects that were changed, with their revisions. */
  listProjects(): readonly (readonly [id: string, revision: number])[] {
    return [...this.#revisions.values()].flatMap(({ holder: { kind, id }, revision }) =>
      kind === "project" ? [[id, revision] as const] : [],
    );
  }

  /**
   * Writes the growth of the open owners. `QUOTA_EXCEEDED` if drafts of the unit, or other projects in the meantime, have left too
   * little of their quotas.
   */
  async end(): Promise<void> {
    for (const holder of this.#open.values()) {
      await addUsage(this.tx, holder, this.#growthOf(holder));
    }
    for (const holder of this.#open.values()) {
      const { items = 0, bytes = 0 } = holder.usage.quotas;
      if (items > 0 || bytes > 0) {
        await checkCountedGrowth(this.tx, holder, this.#growthOf(holder));
      }
    }
  }

  /** Lists an owner that is open, and its organization. */
  #listOpen(owner: Owner | undefined): readonly OpenHolder[] {
    const open = owner && this.#open.get(keyOf(owner));
    if (open?.kind !== "project") return open === undefined ? [] : [open];
    const organization = { kind: "organization", id: open.organizationId } as const;
    return [open, ...this.#listOpen(organization)];
  }

  #add(owner: Owner | undefined, growth: Amounts): void {
    for (const each of this.#listOpen(owner)) {
      this.#growth.set(keyOf(each), sumAmounts([this.#growthOf(each), growth]));
    }
  }

  #growthOf(holder: Holder): Amounts {
    return this.#growth.get(keyOf(holder)) ?? {};
  }

  async #growOrganization(id: string, { accounts = 0, projects = 0 }: Amounts): Promise<void> {
    if (accounts > 0 || projects > 0) await growOrganization(this.tx, id, { accounts, projects });
  }

  async #revisionOf(holder: Holder, organizationId: string, growth: Amounts): Promise<number> {
    const known = this.#revisions.get(keyOf(holder));
    if (known !== undefined) return known.revision;
    const { kind, id } = holder;
    const revision =
      kind === "project"
        ? await nextRevision(this.tx, id, organizationId, growth)
        : await nextOrganizationRevision(this.tx, id);
    this.#revisions.set(keyOf(holder), { holder, revision });
    return revision;
  }
}

function keyOf({ kind, id }: Owner): string {
  return `${kind} ${id}`;
}

function negate(amounts: Amounts): Amounts {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, -amount]));
}
