import type { Message } from "@bufbuild/protobuf";
import type { OrderPlace } from "../../domain/base/paging.ts";
import type { Warning } from "../../domain/base/warnings.ts";
import { listLanguageWarnings } from "../../domain/content/languages.ts";
import { ALL_VISIBILITIES } from "../../domain/content/visibility.ts";
import {
  listAddedFilters,
  listFieldPaths,
  listFilterWarnings,
  listVariableWarnings,
  type MessageFilter,
} from "../../domain/filters/filter-warnings.ts";
import { isContentKind, KIND_NAMES, type KindName, kindOf } from "../../domain/kinds.ts";
import { type KqlNode, NOWHERE } from "../../domain/kql/index.ts";
import type { ContentStore } from "../../storage/contract/content-store.ts";
import { mayReadKinds } from "../steps/read-access.ts";
import type { StudioCall } from "../steps/studio-call.ts";

/** A resource that a call has written, and its earlier state. */
export interface WrittenResource {
  readonly kind: KindName;
  readonly after: Message;
  readonly before?: Message | undefined;
  /** Its path in the request. */
  readonly path: string;
  /** Returns the page of a page component. */
  readonly findPage?: () => Promise<string>;
}

/** The most paths that a call looks up in the content of its project. */
const MOST_PATHS = 20;

/**
 * Warns of unusual languages, and of filters that cannot mean what they say. Filters that the write adds are also
 * compared with their page (`FILTER_VARIABLE_UNDECLARED`) and, for accounts that may read it, with the content of the
 * project (`FILTER_PATH_UNUSED`).
 */
export async function warnOfWritten(
  call: StudioCall,
  written: readonly WrittenResource[],
): Promise<void> {
  const paths = new Map<string, string>();
  for (const { kind, after, before, path, findPage } of written) {
    const { schema } = kindOf(kind);
    call.warn(...listFilterWarnings(schema, after, path));
    call.warn(...listLanguageWarnings(schema, after, path));
    // A webhook waits for content that may not exist yet.
    const added = kind === "webhook" ? [] : listAddedFilters(schema, { after, before }, path);
    if (findPage !== undefined) await warnOfVariables(call, added, findPage);
    for (const filter of added) {
      for (const name of listFieldPaths(filter)) {
        if (!paths.has(name)) paths.set(name, filter.path);
      }
    }
  }
  // Drafts of the release may have the path.
  if (call.release !== undefined) return;
  const { projectId = "" } = call.resource;
  if (!mayReadKinds(call, projectId, KIND_NAMES.filter(isContentKind))) return;
  for (const [name, path] of [...paths].slice(0, MOST_PATHS)) {
    if (!(await isUsed(call, name))) call.warn(warnOfUnused(name, path));
  }
}

async function warnOfVariables(
  call: StudioCall,
  added: readonly MessageFilter[],
  findPage: () => Promise<string>,
): Promise<void> {
  const filters = added.filter(({ hasVariables }) => hasVariables);
  if (filters.length === 0) return;
  const [page] = await call.organization.documents.page.getMany([await findPage()]);
  if (page === undefined) return;
  for (const filter of filters) call.warn(...listVariableWarnings(filter, page.value));
}

/** Reports whether content of the project has a value at a path or below it. */
async function isUsed(call: StudioCall, path: string): Promise<boolean> {
  const { projectId = "" } = call.resource;
  const name = { kind: "exact", path, quoted: true } as const;
  const exists: KqlNode = { type: "exists", name, span: NOWHERE };
  const { events, creativeWorks, entities } = call.store;
  for (const contents of [events, creativeWorks, entities]) {
    if (await matchesSomething(contents, projectId, exists, call)) return true;
  }
  return false;
}

function warnOfUnused(name: string, path: string): Warning {
  const description = `no item of the project has a value at '${name}'`;
  return { code: "FILTER_PATH_UNUSED", fields: [path], message: `${path}: ${description}` };
}

/**
 * Reports whether a filter matches content of a project, of any visibility. If the budget is exhausted before a match is
 * found, the filter counts as matching.
 */
export async function matchesSomething(
  contents: Pick<ContentStore, "list">,
  projectId: string,
  filter: KqlNode,
  { now, budget }: Pick<StudioCall, "budget" | "now">,
): Promise<boolean> {
  let after: OrderPlace | undefined;
  do {
    const { entries, next } = await contents.list({
      projectId,
      visibilities: ALL_VISIBILITIES,
      at: undefined,
      filter,
      words: [],
      order: { field: "id", direction: "asc" },
      limit: 1,
      ...{ now, budget },
      ...(after && { after }),
    });
    if (entries.length > 0) return true;
    if (next === undefined) return false;
    after = next;
  } while (!budget.isSpent);
  return true;
}
