import { isDeepStrictEqual } from "node:util";
import type { Page } from "../../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { Code, DomainError, notFound } from "../../../domain/base/errors.ts";
import {
  arrangeComponents,
  checkPageLayout,
  type PagePlace,
} from "../../../domain/pages/components/layout.ts";
import { atLine, LineError } from "../../../domain/records/line-error.ts";
import type { RecordItem } from "../../../domain/records/record.ts";
import type { ImportOutcome } from "../../contract/records.ts";
import { build } from "../../db/query.ts";
import { idOf, inOrder, readPlaces, readPlacesById, writeOrder } from "../stores/page-order.ts";
import type { OpenHolder, WriteUnit } from "../stores/write-unit.ts";
import type { ImportCount } from "./import-count.ts";

/** The number of slugs in one statement. */
const CHUNK = 100;

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
  readonly scope: OpenHolder;
  /** Its components before the import, in page order. */
  readonly before: readonly PagePlace[];
  /** The components of the file by id, in its order. */
  readonly listed: Map<string, Listed>;
  /** The lines of components that leave it for another page. */
  readonly left: Set<number>;
  /** The number of the first of them with which its layout is valid, if others were omitted for it. */
  valid: number;
  /** The order of its components, and the line of its record; absent: the order of the file. */
  order?: { readonly componentIds: readonly string[]; readonly line: number };
}

/** The components of a page in their new order. */
interface Arrangement {
  readonly order: readonly string[];
  /** The ids of the components that change their order among the given ones. */
  readonly moved: ReadonlySet<string>;
}

/** The slug of a written page. */
interface WrittenSlug {
  readonly page: Page;
  readonly line: number;
  /** Its slug before; absent: the page is new. */
  readonly before: string | undefined;
}

/** Returns the slug that a page is stored with until everything is read: pages may swap theirs. */
export function reserveSlug({ id }: Page): string {
  return `\u0001${id}`;
}

/** Writes the slugs and the orders of pages, which are decided once everything is read. */
export class PageImport {
  readonly #unit: WriteUnit;
  readonly #count: ImportCount;
  readonly #undo: (line: number) => Promise<void>;
  readonly #pages = new Map<string, OpenPage>();
  readonly #slugs = new Map<string, WrittenSlug>();

  /** `count` counts the components; `undo` restores what the record of a line has replaced. */
  constructor(unit: WriteUnit, count: ImportCount, undo: (line: number) => Promise<void>) {
    this.#unit = unit;
    this.#count = count;
    this.#undo = undo;
  }

  /** Adds a page that was written with a reserved slug. */
  addSlug(page: Page, line: number, before: string | undefined): void {
    const key = keyOf(page.projectId, page.id);
    const earlier = this.#slugs.get(key);
    this.#slugs.delete(key);
    this.#slugs.set(key, { page, line, before: earlier === undefined ? before : earlier.before });
  }

  /**
   * Reads the page of a component, and the page where it is stored, before either is written. NOT_FOUND if the project
   * has no such page.
   */
  async open(
    id: string,
    { pageId = "", line }: RecordItem,
    oldPageId: string | undefined,
    scope: OpenHolder,
  ): Promise<void> {
    const page = await this.#openPage(pageId, scope);
    this.#countAgain(page, id);
    if (oldPageId === undefined || oldPageId === pageId) return;
    const oldPage = await this.#openPage(oldPageId, scope);
    this.#countAgain(oldPage, id);
    oldPage.left.add(line);
  }

  /** Lists a component on its page. */
  async list(
    id: string,
    { pageId = "", line, mask, keepsPlace = false, predecessorId }: RecordItem,
    outcome: ImportOutcome,
    scope: OpenHolder,
  ) {
    const { before, listed } = await this.#openPage(pageId, scope);
    const isNew = outcome === "created" || (keepsPlace && !before.some((it) => it.id === id));
    const isPlaced = mask === undefined && (isNew || !keepsPlace);
    listed.set(id, { id, line, outcome, isPlaced, isNew, predecessorId });
  }

  /** Orders the components of a page, which are known once everything is read. */
  async order(
    pageId: string,
    { componentIds, line }: NonNullable<OpenPage["order"]>,
    scope: OpenHolder,
  ): Promise<void> {
    (await this.#openPage(pageId, scope)).order = { componentIds, line };
  }

  /** Writes the slugs of pages. ALREADY_EXISTS for a slug that another page of the project has. */
  async writeSlugs(): Promise<void> {
    const pages = [...this.#slugs.values()];
    const taken = await this.#findTaken(pages);
    const rejected = new Set<WrittenSlug>();
    for (const [written, otherId] of findRejected(pages, taken)) {
      const { page, line, before } = written;
      const message = `page.slug: '${page.slug}' is already used by page ${otherId}`;
      this.#count.reject(line, new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", message));
      rejected.add(written);
      await this.#dropPage(page, line, before === undefined);
    }
    for (const written of pages) if (!rejected.has(written)) await this.#writeSlug(written.page);
  }

  /** Finds the pages that have the slugs of written pages, by project and slug, other than these. */
  async #findTaken(pages: readonly WrittenSlug[]): Promise<Map<string, string>> {
    const taken = new Map<string, string>();
    for (const [projectId, own] of Map.groupBy(pages, ({ page }) => page.projectId)) {
      for (let from = 0; from < own.length; from += CHUNK) {
        const slugs = own.slice(from, from + CHUNK).map(({ page }) => page.slug);
        const rows = await this.#unit.tx.all(
          build
            .selectFrom("page")
            .select(["id", "slug"])
            .where("project_id", "=", projectId)
            .where("slug", "in", slugs),
        );
        for (const { id, slug } of rows) taken.set(keyOf(projectId, slug), id);
      }
    }
    return taken;
  }

  /** Leaves out what a rejected record of a page has written: the page itself and, if it is new, its components. */
  async #dropPage({ projectId, id }: Page, line: number, isNew: boolean): Promise<void> {
    const page = this.#pages.get(keyOf(projectId, id));
    if (page !== undefined && isNew) {
      this.#pages.delete(keyOf(projectId, id));
      for (const component of page.listed.values()) {
        this.#count.reject(component.line, notFound("page", id));
        await this.#undo(component.line);
      }
    } else if (page !== undefined) {
      delete page.order;
    }
    await this.#undo(line);
  }

  /** Leaves out a component, or the order of a page, whose record a {@link LineError} rejects. */
  async omit(error: unknown): Promise<void> {
    if (!(error instanceof LineError)) throw error;
    const { line } = error;
    this.#count.reject(line, error);
    for (const page of this.#pages.values()) {
      if (page.order?.line === line) delete page.order;
      for (const { id, line: own } of page.listed.values())
        if (own === line) page.listed.delete(id);
    }
    await this.#undo(line);
  }

  /** Writes the orders of pages. FAILED_PRECONDITION for a page whose layout is invalid. */
  async writeOrders(): Promise<void> {
    const arranged = new Map<OpenPage, Arrangement>();
    const open = new Set(this.#pages.values());
    for (const page of open) {
      open.delete(page);
      try {
        arranged.set(page, await this.#arrange(page));
      } catch (error) {
        await this.omit(error);
        // A component that is omitted may return to its former page.
        const line = (error as LineError).line;
        open.add(page);
        for (const other of this.#pages.values()) if (other.left.has(line)) open.add(other);
      }
    }
    for (const page of this.#pages.values()) {
      const arrangement = arranged.get(page);
      if (arrangement !== undefined) await this.#writeOrder(page, arrangement);
    }
  }

  async #openPage(id: string, scope: OpenHolder): Promise<OpenPage> {
    const key = keyOf(scope.id, id);
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const select = build.selectFrom("page").select("id").where("id", "=", id);
    const [page] = await this.#unit.tx.all(select.where("project_id", "=", scope.id));
    if (page === undefined) throw notFound("page", id);
    const before = await readPlaces(this.#unit.tx, id, scope.organizationId);
    const open = { id, scope, before, listed: new Map(), left: new Set<number>(), valid: 0 };
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
    await this.#unit.tx.run(
      build
        .updateTable("page")
        .set({ slug })
        .where("project_id", "=", projectId)
        .where("id", "=", id),
    );
  }

  /**
   * Arranges the components of a page. A {@link LineError} for an invalid layout, with the first record of the file that
   * makes it invalid, as if they were written one after the other.
   */
  async #arrange(page: OpenPage): Promise<Arrangement> {
    const { before, listed, order } = page;
    const places = await readPlacesById(this.#unit.tx, page.id, page.scope.organizationId);
    const components = [...listed.values()];
    const arranged = layOut(page, components, places);
    try {
      checkPageLayout(arranged, before.length);
    } catch (error) {
      for (; page.valid <= components.length; page.valid += 1) {
        const first = components.slice(0, page.valid);
        const { line } = first.at(-1) ?? order ?? components.at(-1) ?? { line: 0 };
        await atLine(line, async () => checkPageLayout(layOut(page, first, places), before.length));
      }
      throw error;
    }
    const placed = components.filter(({ isPlaced }) => isPlaced);
    return { order: arranged.map(idOf), moved: findMoved(before.map(idOf), placed.map(idOf)) };
  }

  async #writeOrder({ id: pageId, scope, before, listed }: OpenPage, arrangement: Arrangement) {
    const { order, moved } = arrangement;
    for (const component of listed.values()) {
      const { id, outcome } = component;
      const isMoved = outcome === "unchanged" && moved.has(id);
      this.#addCount(component, isMoved ? "updated" : outcome);
    }
    if (isDeepStrictEqual(order, before.map(idOf))) return;
    await writeOrder(this.#unit.tx, { id: pageId, organizationId: scope.organizationId }, order);
    await this.#unit.revisionOf(scope);
  }
}

function keyOf(projectId: string, name: string): string {
  return `${projectId} ${name}`;
}

/**
 * Finds the pages whose slugs are taken, each with the page that has it. A page that is rejected keeps its former slug,
 * which may reject others. `taken` are the pages that are stored with the slugs.
 */
function* findRejected(
  pages: readonly WrittenSlug[],
  taken: ReadonlyMap<string, string>,
): Generator<readonly [written: WrittenSlug, otherId: string]> {
  const rejected = new Set<WrittenSlug>();
  const kept = new Map(taken);
  let owners = new Map(kept);
  for (let index = 0; index < pages.length; index += 1) {
    const written = pages[index] as WrittenSlug;
    const { page, before } = written;
    const key = keyOf(page.projectId, page.slug);
    const owner = owners.get(key);
    if (rejected.has(written) || owner === page.id) continue;
    if (owner === undefined) {
      owners.set(key, page.id);
      continue;
    }
    rejected.add(written);
    yield [written, owner];
    if (before === undefined) continue;
    // All are tested again, as if the page had not been given.
    kept.set(keyOf(page.projectId, before), page.id);
    owners = new Map(kept);
    index = -1;
  }
}

/**
 * Orders the components of a page with some of the components of the file. Others of the file have their places from
 * before the import; `places` are the current ones.
 */
function layOut(
  { before, listed, order }: OpenPage,
  components: readonly Listed[],
  places: ReadonlyMap<string, PagePlace>,
): readonly PagePlace[] {
  const own = new Set(components.map(idOf));
  const current = new Map([...places].filter(([id]) => own.has(id) || !listed.has(id)));
  for (const place of before) {
    if (places.has(place.id) && !own.has(place.id)) current.set(place.id, place);
  }
  const stayed = before.map(idOf).filter((id) => current.has(id));
  const placed = components.filter(({ isPlaced }) => isPlaced).map(idOf);
  const added = components.filter(({ isNew }) => isNew);
  return inOrder(arrangeComponents(stayed, placed, added, order?.componentIds), current);
}

/** Finds the components that change their order among the given ones. */
function findMoved(page: readonly string[], placed: readonly string[]): Set<string> {
  const before = page.filter((id) => placed.includes(id));
  const among = new Set(before);
  const after = placed.filter((id) => among.has(id));
  return new Set(after.filter((id, index) => id !== before[index]));
}
