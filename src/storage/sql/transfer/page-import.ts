import type { Page } from "../../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { DomainError } from "../../../domain/errors.ts";
import {
  checkPageLayout,
  mergeOrder,
  type PagePlace,
} from "../../../domain/pages/components/layout.ts";
import { blameLine } from "../../../domain/transfer/line-fault.ts";
import type { ImportOutcome, PreparedDocument } from "../../record-import.ts";
import { readPlaces, writeOrder } from "../page-components.ts";
import type { ImportParts } from "./content-import.ts";
import { createSlugImport } from "./slug-import.ts";

/** A position after all others, where components wait until everything is read. */
const WAITING = 2 ** 40;

/** The components of a page: the stored ones, and those of the file in its order. */
interface OpenPage {
  readonly organizationId: string;
  readonly before: readonly PagePlace[];
  readonly listed: Map<string, Listed>;
  /** Components that the file moves to another page. */
  readonly left: Set<string>;
  /** True if a component waits after the others for its position. */
  isUnordered: boolean;
}

interface Listed {
  readonly document: PreparedDocument;
  readonly place: PagePlace;
  readonly outcome: ImportOutcome;
}

/** Imports the layouts and slugs of whole pages. */
export interface PageImport {
  /**
   * Reads the page of a component, and the page where it is stored, before either is written. Returns a
   * position where the component can wait if it is new on its page.
   */
  open(
    document: PreparedDocument,
    organizationId: string,
    oldPageId: string | undefined,
  ): Promise<number | undefined>;
  noteComponent(
    document: PreparedDocument,
    organizationId: string,
    component: PageComponent,
    outcome: ImportOutcome,
  ): Promise<void>;
  notePage(document: PreparedDocument, page: Page, outcome: ImportOutcome): void;
  /** Checks slugs and layouts and, unless it is a dry run, writes them. */
  end(): Promise<void>;
}

/** Creates the page import, which counts the components of pages at the end. */
export function createPageImport(parts: ImportParts, isDryRun: boolean): PageImport {
  const { tx, scopes, count } = parts;
  const slugs = createSlugImport(tx, isDryRun);
  const pages = new Map<string, OpenPage>();
  let waiting = 0;

  async function openPage(id: string, organizationId: string): Promise<OpenPage> {
    const key = `${organizationId} ${id}`;
    const open = pages.get(key);
    if (open !== undefined) return open;
    const page = {
      organizationId,
      before: await readPlaces(tx, id, organizationId),
      listed: new Map(),
      left: new Set<string>(),
      isUnordered: false,
    };
    pages.set(key, page);
    return page;
  }

  /** Drops a component that the file names again, and counts its outcome. */
  function forget({ listed }: OpenPage, id: string): void {
    const earlier = listed.get(id);
    if (earlier !== undefined) count.add(earlier.document, earlier.outcome);
    listed.delete(id);
  }

  async function arrange(page: OpenPage): Promise<void> {
    const { organizationId, before, listed, left, isUnordered } = page;
    const places = new Map(before.map((it) => [it.id, it]));
    for (const [id, { place }] of listed) places.set(id, place);
    const stayed = before.map((it) => it.id).filter((id) => !left.has(id));
    const ids = mergeOrder(stayed, [...listed.keys()]);
    const layout = ids.flatMap((id) => places.get(id) ?? []);
    try {
      checkPageLayout(layout, before.length);
    } catch (fault) {
      throw blameLine(lineOf(fault, [...listed.values()]), fault);
    }
    const moved = findMoved(stayed, listed);
    for (const { document, outcome } of listed.values()) {
      const isMoved = outcome === "unchanged" && moved.has(document.id);
      count.add(document, isMoved ? "updated" : outcome);
    }
    if (isDryRun || (!isUnordered && isSameOrder(layout, before))) return;
    await writeOrder(
      tx,
      organizationId,
      [],
      ids.map((id) => ({ id })),
    );
    const [{ document } = { document: undefined }] = listed.values();
    if (document?.owner !== undefined) await scopes.move(document.owner);
  }

  return {
    async open({ id, pageId = "" }, organizationId, oldPageId) {
      const page = await openPage(pageId, organizationId);
      page.left.delete(id);
      if (oldPageId === pageId) return undefined;
      if (oldPageId !== undefined) {
        const old = await openPage(oldPageId, organizationId);
        forget(old, id);
        old.left.add(id);
      }
      page.isUnordered = true;
      waiting += 1;
      return WAITING + waiting;
    },

    async noteComponent(document, organizationId, { groupId, data }, outcome) {
      const { id, pageId = "" } = document;
      const page = await openPage(pageId, organizationId);
      forget(page, id);
      const place = { id, groupId, isFilter: data.case === "filter" };
      page.listed.set(id, { document, place, outcome });
    },

    notePage: slugs.note,

    async end() {
      await slugs.end();
      for (const page of pages.values()) await arrange(page);
    },
  };
}

function isSameOrder(a: readonly PagePlace[], b: readonly PagePlace[]): boolean {
  return a.length === b.length && a.every(({ id }, index) => id === b[index]?.id);
}

/** Finds the components whose order among the given ones changes. */
function findMoved(stayed: readonly string[], listed: ReadonlyMap<string, unknown>): Set<string> {
  const before = stayed.filter((id) => listed.has(id));
  const among = new Set(before);
  const after = [...listed.keys()].filter((id) => among.has(id));
  return new Set(after.filter((id, index) => id !== before[index]));
}

/** Finds the line of an invalid layout: that of the last component that the error names. */
function lineOf(fault: unknown, listed: readonly Listed[]): number {
  const { component_id = "", component_ids = "" } =
    fault instanceof DomainError ? fault.metadata : {};
  const named = new Set([component_id, ...component_ids.split(",")]);
  const found = listed.findLast(({ document }) => named.has(document.id)) ?? listed.at(-1);
  return found?.document.line ?? 0;
}
