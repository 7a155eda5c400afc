import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { GetPageResponse } from "../../../packages/client/src/delivery.ts";
import { ApiError, call, preview } from "../api.ts";
import {
  type Compared,
  compareComponents,
  compareValues,
  type Difference,
} from "../drawing/compare.ts";
import type { JsonOf } from "../drawing/json-of.ts";
import type { Read, ReadResponse } from "../drawing/reads.ts";
import { dataOf, type Resolved } from "../drawing/resolved.ts";
import { pick } from "../drawing/text.ts";
import { printLabel } from "../schema.ts";
import type { Choices } from "./choices.tsx";
import type { Placed } from "./order.ts";

const GET_PAGE = "svc.cda.ott.page.v1.PageService/GetPage";
const COMPONENTS = "/ott/page_components/v2";
const RENDER = "svc.studio.ott.rendering.v1.RenderingService/RenderPageComponent";

/** A component in the list of its page. */
export interface Row extends Placed {
  /** Its title, else its name, else its type. */
  readonly title: string;
  /** For editors; empty: it has none, or it is the title. */
  readonly name: string;
  /** Such as `rail`. */
  readonly type: string;
  readonly visibility: string;
  readonly availability: JsonValue | undefined;
  /** Empty: every platform. */
  readonly environments: readonly string[];
}

/** A page with its components in order. */
export interface Arranged {
  /** Of the Studio API. */
  readonly page: JsonObject;
  /** The ETag of the page, which covers its order. */
  readonly etag: string;
  /** When its read began, in milliseconds of this tab. */
  readonly since: number;
  readonly rows: readonly Row[];
}

/** A page as viewers see it. */
export interface Shown {
  readonly response: ReadResponse<GetPageResponse>;
  /** Compared with the current version, where something else is shown. */
  readonly components: readonly Compared[];
  /** How the page itself differs from the current version; undefined: it is shown. */
  readonly differences: readonly Difference[] | undefined;
}

/** The version and the viewer of a page. */
export interface Version {
  readonly projectId: string;
  /** The id of a release, or several of a preview, later ones on top, such as `finals,prices`; empty: none. */
  readonly release: string;
}

/** Returns the words of a type, such as `Banner collection` for `banner_collection_v2`. */
export function printType(type: string): string {
  return printLabel(type.replace(/_v\d+$/, ""));
}

/** Returns the reads of delivery as a viewer of the choices. */
export function readAs(
  { projectId, release }: Version,
  choices: Choices,
  signal?: AbortSignal,
): Read {
  return async (procedure, request) => {
    const options = { projectId, release, headers: headersOf(choices), signal };
    const { body, ...others } = await preview(procedure, request as JsonObject, options);
    return { message: body as never, ...others };
  };
}

/** Returns the headers of a preview in a country, at a time. */
export function headersOf({ country, time }: Pick<Choices, "country" | "time">) {
  return {
    ...(country !== "" && { "x-preview-country": country }),
    ...(time !== "" && { "x-preview-time": new Date(time).toISOString() }),
  };
}

/** Lists the current components of a page in its order. */
export async function listComponents(
  pageId: string,
  signal?: AbortSignal,
): Promise<readonly JsonObject[]> {
  const query = { page_id: pageId, page_size: 1_000 };
  const { body } = await call({ path: COMPONENTS, query, signal });
  return body.page_components as JsonObject[];
}

/** Lists the components of a page in its order, as a release has them. */
export async function listRows(
  pageId: string,
  { projectId, release }: Version,
  signal: AbortSignal,
): Promise<readonly Row[]> {
  if (release === "") return (await listComponents(pageId, signal)).map(toRow);
  // The list shows current versions only; the page of the preview omits components that cannot be resolved.
  const { body } = await preview(GET_PAGE, { id: pageId }, { projectId, release, signal });
  const { components = [], dropped = [] } = body as JsonOf<GetPageResponse>;
  const rows = components.map(({ component = {} }) => toRow(component as JsonObject));
  const others = dropped.map(async ({ componentId = "" }) => {
    const query = { release_id: release };
    const { body } = await call({ path: `${COMPONENTS}/${componentId}`, query, signal });
    const row = toRow(body.page_component as JsonObject);
    return { row, position: Number(body.position ?? 0) };
  });
  // Each is inserted where it is once those before it are there.
  const sorted = (await Promise.all(others)).sort((a, b) => a.position - b.position);
  for (const { row, position } of sorted) rows.splice(position, 0, row);
  return rows;
}

/** Describes a component, with names of fields as in either API. */
function toRow(component: JsonObject): Row {
  const { id = "", name = "", type = "", visibility, availability, environments = [] } = component;
  const title = pick(dataOf({ component } as Resolved).title, navigator.language);
  return {
    id: String(id),
    title: title || String(name) || printType(String(type)),
    name: title === "" || title === name ? "" : String(name),
    type: String(type),
    visibility: String(visibility ?? "VISIBILITY_UNSPECIFIED"),
    availability,
    environments: environments as string[],
    groupId: String(component.groupId || component.group_id || id),
  };
}

/** Reads a page as viewers see it, and compares it with the current version if something else is shown. */
export async function readShown(
  pageId: string,
  version: Version,
  choices: Choices,
  signal: AbortSignal,
): Promise<Shown> {
  const { environment, session, parameters, time } = choices;
  const request = { id: pageId, environment, session, parameters, includeItems: true };
  const isAhead = version.release !== "" || time !== "";
  const current = isAhead
    ? readAs(
        { ...version, release: "" },
        { ...choices, time: "" },
        signal,
      )(GET_PAGE, request).catch((cause: unknown) => {
        // Only the release has the page.
        if (cause instanceof ApiError && cause.status === 404) return { message: {} };
        throw cause;
      })
    : undefined;
  const [response, before] = await Promise.all([
    readAs(version, choices, signal)(GET_PAGE, request),
    current,
  ]);
  const { page = {}, components = [] } = response.message;
  if (before === undefined) {
    const same = { changes: [], differences: [] };
    const unchanged = components.map((resolved) => ({ resolved, ...same }));
    return { response, components: unchanged, differences: undefined };
  }
  const { page: currentPage, components: currentComponents = [] } =
    before.message as JsonOf<GetPageResponse>;
  return {
    response,
    components: compareComponents(currentComponents, components),
    differences: currentPage === undefined ? [] : compareValues(currentPage, page),
  };
}

/** Renders a component that is not saved. Nothing is written. */
export async function renderComponent(
  { id = "", ...component }: JsonObject,
  pageId: string,
  { projectId, release }: Version,
  choices: Choices,
  signal: AbortSignal,
): Promise<Resolved> {
  const { session, parameters } = choices;
  const { body } = await call({
    path: `/${RENDER}`,
    body: {
      pageComponent: { ...component, project_id: projectId },
      ...{ pageId, pageComponentId: id, session, parameters, includeItems: true },
      releaseId: release,
    },
    headers: { "connect-protocol-version": "1", ...headersOf(choices) },
    signal,
  });
  return body.component as unknown as Resolved;
}
