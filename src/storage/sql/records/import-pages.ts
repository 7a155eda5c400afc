import type { Page } from "../../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { Code, DomainError, notFound } from "../../../domain/errors.ts";
import { arrangeComponents, checkPageLayout } from "../../../domain/pages/components/layout.ts";
import { atLine, blameLine } from "../../../domain/records/line-error.ts";
import type { RecordItem } from "../../../domain/records/record.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import type { ImportOutcome } from "../../record-import.ts";
import { selectPage, toPlace, writeOrder } from "../page-components.ts";
import type { ImportCount } from "./import-count.ts";
import type { ImportScope, ImportScopes } from "./import-scopes.ts";

/** A position after all others, where components wait until everything is read. */
const WAITING = 2 ** 40;

/** A component of the file. */
interface Listed {
  readonly id: string;
  readonly line: number;
  readonly outcome: ImportOutcome;
  /** False for a component whose record changes single fields, which keeps its position. */
  readonly isPlaced: boolean;
  /** True for a component that is created, or that a draft moves to the page. */
  readonly isNew: boolean;
  /** The component that it follows if it is new; empty: it comes first. */
  readonly predecessorId: string | undefined;
}

/** A page with components in the file. */
interface OpenPage {
  readonly id: string;
  readonly scope: ImportScope;
  /** The ids of its components before the import, in page order. */
  readonly before: readonly string[];
  /** The components of the file by id, in its order. */
  readonly listed: Map<string, Listed>;
  /** The order of its components; absent: the order of the file. */
  order?: readonly string[];
}

/** Writes the slugs and the orders of pages, which are decided once everything is read. */
export class PageImport {
  readonly #tx: Tx;
  readonly #scopes: ImportScopes;
  readonly #count: ImportCount;
  readonly #pages = new Map<string, OpenPage>();
  readonly #slugs = new Map<string, { readonly page: Page; readonly line: number }>();
  #waiting = 0;

  /** `count` counts the components. */
  constructor(tx: Tx, scopes: ImportScopes, count: ImportCount) {
    this.#tx = tx;
    this.#scopes = scopes;
    this.#count = count;
  }

  /** Returns the slug of a page until everything is read: pages may swap theirs. */
  reserveSlug(page: Page, line: number): string {
    const key = `${page.projectId} ${page.id}`;
    this.#slugs.delete(key);
    this.#slugs.set(key, { page, line });
    return `\u0001${page.id}`;
  }

  /**
   * Reads the page of a component, and the page where it is stored, before either is written. Returns the position
   * where the component waits if it is new on its page. NOT_FOUND if the project has no such page.
   */
  async open(
    id: string,
    pageId: string,
    oldPageId: string | undefined,
    scope: ImportScope,
  ): Promise<number | undefined> {
    const page = await this.#openPage(pageId, scope);
    this.#countAgain(page, id);
    if (oldPageId === pageId) return undefined;
    if (oldPageId !== undefined) this.#countAgain(await this.#openPage(oldPageId, scope), id);
    this.#waiting += 1;
    return WAITING + this.#waiting;
  }

  /** Lists a component on its page. */
  async list(
    id: string,
    { pageId = "", line, mask, keepsPlace = false, predecessorId }: RecordItem,
    outcome: ImportOutcome,
    scope: ImportScope,
  ) {
    const { before, listed } = await this.#openPage(pageId, scope);
    const isNew = outcome === "created" || (keepsPlace && !before.includes(id));
    const isPlaced = mask === undefined && (isNew || !keepsPlace);
    listed.set(id, { id, line, outcome, isPlaced, isNew, predecessorId });
  }

  /** Orders the components of a page, which are known once everything is read. */
  async order(pageId: string, componentIds: readonly string[], scope: ImportScope): Promise<void> {
    (await this.#openPage(pageId, scope)).order = componentIds;
  }

  /**
   * Writes slugs and orders. ALREADY_EXISTS for a slug that another page of the project has, FAILED_PRECONDITION for
   * a page whose layout is invalid.
   */
  async end(): Promise<void> {
    for (const { page, line } of this.#slugs.values()) {
      await atLine(line, () => this.#writeSlug(page));
    }
    for (const page of this.#pages.values()) await this.#arrange(page);
  }

  async #openPage(id: string, scope: ImportScope): Promise<OpenPage> {
    const key = `${scope.id} ${id}`;
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const select = build.selectFrom("page").select("id").where("id", "=", id);
    const page = await this.#tx.first(select.where("project_id", "=", scope.id));
    if (page === undefined) throw notFound("page", id);
    const places = await selectPage(this.#tx, id, scope.organizationId);
    const open = { id, scope, before: places.map((it) => it.id), listed: new Map() };
    this.#pages.set(key, open);
    return open;
  }

  /** Counts the outcome of a component that the file names again. */
  #countAgain({ listed }: OpenPage, id: string): void {
    const earlier = listed.get(id);
    if (earlier !== undefined) this.#addCount(earlier, earlier.outcome);
    listed.delete(id);
  }

  #addCount({ id, line }: Listed, outcome: ImportOutcome): void {
    this.#count.add({ kind: "page_component", id, line }, outcome);
  }

  async #writeSlug({ id, projectId, slug }: Page): Promise<void> {
    const other = await this.#tx.first(
      build
        .selectFrom("page")
        .select("id")
        .where("project_id", "=", projectId)
        .where("slug", "=", slug)
        .where("id", "<>", id),
    );
    if (other !== undefined) {
      const message = `page.slug: '${slug}' is already used by page ${other.id}`;
      throw new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", message);
    }
    await this.#tx.run(
      build
        .updateTable("page")
        .set({ slug })
        .where("project_id", "=", projectId)
        .where("id", "=", id),
    );
  }

  async #arrange({
    id: pageId,
    scope,
    before,
    listed,
    order: componentIds,
  }: OpenPage): Promise<void> {
    const rows = await selectPage(this.#tx, pageId, scope.organizationId);
    const places = new Map(rows.map((row) => [row.id, row]));
    const stayed = before.filter((id) => places.has(id));
    const placed = [...listed.values()].filter((it) => it.isPlaced).map(({ id }) => id);
    const added = [...listed.values()].filter(({ isNew }) => isNew);
    const ids = arrangeComponents(stayed, placed, added, componentIds);
    const order = ids.flatMap((id) => places.get(id) ?? []);
    try {
      checkPageLayout(order.map(toPlace), before.length);
    } catch (error) {
      throw blameLine(lineOf(error, [...listed.values()]), error);
    }
    const moved = findMoved(stayed, placed);
    for (const component of listed.values()) {
      const { id, outcome } = component;
      const isMoved = outcome === "unchanged" && moved.has(id);
      this.#addCount(component, isMoved ? "updated" : outcome);
    }
    const isUnchanged = rows.every(({ id, position }, index) => {
      return id === order[index]?.id && position < WAITING;
    });
    if (isUnchanged) return;
    await writeOrder(this.#tx, scope.organizationId, rows, order);
    await this.#scopes.revisionOf(scope);
  }
}

/** Finds the components that change their order among the given ones. */
function findMoved(stayed: readonly string[], placed: readonly string[]): Set<string> {
  const before = stayed.filter((id) => placed.includes(id));
  const among = new Set(before);
  const after = placed.filter((id) => among.has(id));
  return new Set(after.filter((id, index) => id !== before[index]));
}

/** Finds the line of an invalid layout: the line of the last component that the error names. */
function lineOf(error: unknown, listed: readonly Listed[]): number {
  const { component_id = "", component_ids = "" } =
    error instanceof DomainError ? error.metadata : {};
  const named = new Set([component_id, ...component_ids.split(",")]);
  return (listed.findLast(({ id }) => named.has(id)) ?? listed.at(-1))?.line ?? 0;
}
