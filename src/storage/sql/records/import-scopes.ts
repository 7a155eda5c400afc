import { notFound } from "../../../domain/base/errors.ts";
import { type Amounts, checkGrowth, QUOTA_NAMES, type QuotaName } from "../../../domain/quotas.ts";
import type { RecordOwner } from "../../../domain/records/record.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { nextOrganizationRevision, nextProjectRevision } from "../base/revisions.ts";
import { addUsage, readUsage, type Usage } from "../base/usage.ts";

type Counts = Record<QuotaName, number>;

const NOTHING: Counts = { items: 0, bytes: 0, keys: 0, accounts: 0, projects: 0 };

/** An organization or project that owns records of an import. */
export class ImportScope {
  readonly type: RecordOwner["type"];
  readonly id: string;
  readonly organizationId: string;
  /** The revision of the changes in it; undefined until there is one. */
  revision: number | undefined;
  /** The amounts that the import adds. */
  readonly added: Counts = { ...NOTHING };
  readonly #used: Counts;
  readonly #quotas: Amounts;
  readonly #organization: ImportScope | undefined;

  /** `organization` is the organization of a project. */
  constructor({ type, id }: RecordOwner, usage: Usage, organization?: ImportScope) {
    this.type = type;
    this.id = id;
    this.organizationId = organization?.id ?? id;
    this.#used = { ...NOTHING, ...usage.used };
    this.#quotas = usage.quotas;
    this.#organization = organization;
  }

  /** Adds the growth of a record to it and to its organization, unless that exceeds a quota: `QUOTA_EXCEEDED`. */
  grow(growth: Amounts): void {
    this.#add(growth, 1);
    try {
      this.#check(growth);
    } catch (error) {
      this.#add(growth, -1);
      throw error;
    }
  }

  /** Takes back the growth of a record that is omitted. */
  shrink(growth: Amounts): void {
    this.#add(growth, -1);
  }

  #add(growth: Amounts, times: 1 | -1): void {
    for (const name of QUOTA_NAMES) {
      this.#used[name] += times * (growth[name] ?? 0);
      this.added[name] += times * (growth[name] ?? 0);
    }
    if (this.#organization !== undefined) this.#organization.#add(growth, times);
  }

  #check(growth: Amounts): void {
    checkGrowth(this, { used: this.#used, quotas: this.#quotas }, growth);
    if (this.#organization !== undefined) this.#organization.#check(growth);
  }
}

/** The organizations and projects that own the records of one import. */
export class ImportScopes {
  readonly #tx: Tx;
  readonly #scopes = new Map<string, ImportScope>();

  /** `tx` is the transaction of the import. */
  constructor(tx: Tx) {
    this.#tx = tx;
  }

  /** Opens an owner of records; NOT_FOUND if it does not exist. */
  async open(owner: RecordOwner): Promise<ImportScope> {
    const key = `${owner.type} ${owner.id}`;
    const known = this.#scopes.get(key);
    if (known !== undefined) return known;
    const usage = await readUsage(this.#tx, owner);
    if (usage === undefined) throw notFound(owner.type, owner.id);
    const scope = new ImportScope(owner, usage, await this.#openOrganizationOf(owner));
    this.#scopes.set(key, scope);
    return scope;
  }

  async #openOrganizationOf({ type, id }: RecordOwner): Promise<ImportScope | undefined> {
    if (type === "organization") return undefined;
    const query = build.selectFrom("project").select("organization_id").where("id", "=", id);
    const row = await this.#tx.first(query);
    return row && this.open({ type: "organization", id: row.organization_id });
  }

  /** Returns the revision of the changes in a scope: the same for all of them. */
  async revisionOf(scope: ImportScope): Promise<number> {
    const next = scope.type === "project" ? nextProjectRevision : nextOrganizationRevision;
    scope.revision ??= await next(this.#tx, scope.id);
    return scope.revision;
  }

  /** Lists the projects that were changed, with their revisions. */
  listProjects(): readonly (readonly [id: string, revision: number])[] {
    return [...this.#scopes.values()].flatMap(({ type, id, revision }) =>
      type === "project" && revision !== undefined ? [[id, revision] as const] : [],
    );
  }

  /** Writes the growth of each scope. */
  async end(): Promise<void> {
    for (const scope of this.#scopes.values()) await addUsage(this.#tx, scope, scope.added);
  }
}
