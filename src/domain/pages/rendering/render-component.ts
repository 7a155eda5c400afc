import { clone, type JsonObject, toJsonString } from "@bufbuild/protobuf";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { type Rail, RailSchema } from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { Code, DomainError } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import { SessionClauses } from "../../kql/index.ts";
import { TextTemplates, type UnresolvedField } from "../../variables/message-texts.ts";
import type { Scope } from "../../variables/text-template.ts";
import type { Session } from "../additional-filters.ts";
import { getDataMember } from "../components/data-member.ts";
import { readInlineGrid } from "../components/inline-grid.ts";
import {
  type Listing,
  type SessionParts,
  toCalendarListing,
  toCalendarV2Listing,
  toRailListing,
} from "./listing.ts";
import {
  canBeMirrored,
  findIdVariable,
  findMirroredId,
  REFERENCE_PATH,
  type Reference,
  readReferences,
} from "./reference.ts";

/** A component to render, or the reason to drop it. */
export type RenderedComponent = ShownComponent | DroppedComponent;

/** A component with resolved variables. */
export interface ShownComponent {
  readonly kind: "shown";
  /** Its group_id is its own id if it belongs to no group. */
  readonly component: PageComponent;
  /** Its JSON in the form of delivery's responses; absent if it varies between requests. */
  readonly json?: string;
  /** The query of its items; absent if it has none. */
  readonly listing?: Listing;
  /** The resources that it shows by id; at least one of them must exist. Absent if it shows none. */
  readonly references?: readonly [Reference, ...Reference[]];
}

/** A dropped component and the reason. */
export interface DroppedComponent {
  readonly kind: "dropped";
  readonly componentId: string;
  /** The name of the component for editors; empty if it has none. */
  readonly name: string;
  /** The field with the error, such as `rail.filter`. */
  readonly field: string;
  /** The path of the variable with the error; empty for another error. */
  readonly variable: string;
  readonly reason:
    | "VARIABLE_UNRESOLVED"
    | "REFERENCE_NOT_FOUND"
    | "CONFIGURATION_INVALID"
    | "WORK_LIMIT";
}

/** The context for rendering a component. */
export interface RenderContext {
  /** The variables of its page. */
  readonly scope: Scope;
  readonly session: Session;
  /** The visible components that grids of the page mirror, by id. */
  readonly mirrored: ReadonlyMap<string, ComponentTemplate>;
}

/** A component without variables, with the settings of an inline grid as a rail. */
interface Resolved {
  readonly kind: "resolved";
  readonly component: PageComponent;
  /** The JSON of the component; absent if it has variables. */
  readonly json?: string;
  readonly rail?: Rail;
}

/** The path of a grid's settings. */
const INLINE_PATH = "content_grid.inline";

/** The parsed parts of a component. */
interface Parsed {
  readonly texts: TextTemplates | undefined;
  readonly clauses: SessionClauses;
  /** The settings of an inline grid as a rail. */
  readonly rail: Rail | undefined;
  /** True if no text has a variable. */
  readonly isConstant: boolean;
}

/**
 * A stored component. Its texts, filters and clauses are parsed once for all requests. Callers must change neither
 * the component nor its rendered form.
 */
export class ComponentTemplate {
  /** The component as stored. */
  readonly component: PageComponent;
  #parsed: Parsed | undefined;
  /** The resolved component, if it has no variables. */
  #resolved: Resolved | undefined;
  /** The component without a session, if it has no variables and mirrors no other. */
  #rendered: RenderedComponent | undefined;

  constructor(component: PageComponent) {
    this.component = component;
  }

  /**
   * Renders the component: resolves its variables, composes its filter with the session and reads the settings
   * of a grid. {@link checkReferences} checks its references. A component that does not vary is rendered once,
   * and keeps its JSON text.
   */
  *render(context: RenderContext): Steps<RenderedComponent> {
    const hasSession = Object.keys(context.session).length > 0;
    if (this.#rendered !== undefined && !hasSession) return this.#rendered;
    const rendered = yield* this.#tryToRender(context);
    const isMirror = findMirroredId(this.component) !== undefined;
    if (this.#parsed?.isConstant && !isMirror && !hasSession) this.#rendered = rendered;
    return rendered;
  }

  *#tryToRender(context: RenderContext): Steps<RenderedComponent> {
    try {
      this.#parsed ??= parse(this.component);
      const parsed = this.#parsed;
      const resolved = this.#resolved ?? (yield* resolve(this.component, parsed, context.scope));
      if (resolved.kind === "dropped") return drop(this.component, resolved);
      if (parsed.isConstant) this.#resolved = resolved;
      const parts = { session: context.session, ...parsed };
      const rendered = yield* this.#show(resolved, parts, context);
      const { json } = resolved;
      return rendered.kind === "shown" && json !== undefined ? { ...rendered, json } : rendered;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const field = error.metadata.field ?? getDataMember(this.component)?.name ?? "";
      return drop(this.component, { field, reason: "CONFIGURATION_INVALID" });
    }
  }

  *#show(
    { component, rail }: Resolved,
    parts: SessionParts,
    context: RenderContext,
  ): Steps<RenderedComponent> {
    const { data } = component;
    switch (data.case) {
      case "rail":
        return list(component, yield* toRailListing(data.value, "rail", parts));
      case "calendarV2":
        return list(component, yield* toCalendarV2Listing(data.value, parts));
      case "calendar":
        return list(component, yield* toCalendarListing(data.value));
      case "contentGrid":
        return rail === undefined
          ? yield* showMirror(component, context)
          : list(component, yield* toRailListing(rail, INLINE_PATH, parts));
      default: {
        const references = readReferences(component, findIdVariable(this.component));
        const [first, ...others] = references;
        return { kind: "shown", component, ...(first && { references: [first, ...others] }) };
      }
    }
  }
}

/** Throws `QUERY_TOO_LARGE` for a query with too many texts. */
function parse(component: PageComponent): Parsed {
  const { data } = component;
  if (data.case === "contentGrid" && data.value.source.case === "inline") {
    const rail = readInlineGrid(data.value.source.value);
    const texts = new TextTemplates(RailSchema, INLINE_PATH);
    const clauses = new SessionClauses(rail.additionalFilters);
    return { texts, clauses, rail, isConstant: texts.isConstant(rail) };
  }
  const member = getDataMember(component);
  const texts = member && new TextTemplates(member.schema, member.name);
  const isList = data.case === "rail" || data.case === "calendarV2";
  const clauses = new SessionClauses(isList ? data.value.additionalFilters : {});
  const isConstant = member === undefined || texts?.isConstant(member.value) === true;
  return { texts, clauses, rail: undefined, isConstant };
}

function* resolve(
  stored: PageComponent,
  { texts, rail: settings, isConstant }: Parsed,
  scope: Scope,
): Steps<Resolved | UnresolvedField> {
  const component = clone(PageComponentSchema, stored);
  const rail = settings && clone(RailSchema, settings);
  const message = rail ?? getDataMember(component)?.value;
  if (texts !== undefined && message !== undefined) {
    const unresolved = yield* texts.resolve(message, scope);
    if (unresolved !== undefined) return unresolved;
  }
  if (component.groupId === "") component.groupId = component.id;
  if (rail !== undefined) writeInlineGrid(component, rail);
  return {
    kind: "resolved",
    component,
    ...(isConstant && { json: toJsonString(PageComponentSchema, component) }),
    ...(rail && { rail }),
  };
}

/** Writes the resolved filter and search of a grid; settings unknown to a rail are kept. */
function writeInlineGrid({ data }: PageComponent, { filter, search }: Rail): void {
  if (data.case !== "contentGrid" || data.value.source.case !== "inline") return;
  const inline: JsonObject = data.value.source.value;
  const written = Object.entries({ filter, search }).filter(
    ([name]) => typeof inline[name] === "string",
  );
  data.value.source.value = { ...inline, ...Object.fromEntries(written) };
}

/** Renders a mirror, which shows all items: the limit of the mirrored rail does not apply. */
function* showMirror(component: PageComponent, context: RenderContext): Steps<RenderedComponent> {
  const id = findMirroredId(component);
  if (id === undefined) return { kind: "shown", component };
  const mirrored = context.mirrored.get(id);
  if (mirrored === undefined || !canBeMirrored(mirrored.component)) {
    return drop(component, { field: REFERENCE_PATH, reason: "REFERENCE_NOT_FOUND" });
  }
  const rendered = yield* mirrored.render(context);
  if (rendered.kind === "dropped") return drop(component, { ...rendered, field: REFERENCE_PATH });
  const { listing } = rendered;
  return { kind: "shown", component, ...(listing && { listing: { ...listing, limit: 0 } }) };
}

/** Drops a component when the budget of the request is too small for it. */
export function dropForWork({ component }: ComponentTemplate): DroppedComponent {
  return drop(component, { field: getDataMember(component)?.name ?? "", reason: "WORK_LIMIT" });
}

/** Drops a component if it has references and none of them exists. */
export function checkReferences(
  rendered: RenderedComponent,
  exists: (reference: Reference) => boolean,
): RenderedComponent {
  if (rendered.kind === "dropped" || rendered.references === undefined) return rendered;
  const { component, references } = rendered;
  if (references.some(exists)) return rendered;
  const [{ field, variable }] = references;
  return drop(component, { field, variable, reason: "REFERENCE_NOT_FOUND" });
}

/** Creates the FAILED_PRECONDITION `COMPONENT_DROPPED` for a component that is requested by itself. */
export function componentDropped(dropped: DroppedComponent): DomainError {
  const { componentId, field, variable, reason } = dropped;
  return new DomainError(
    Code.FAILED_PRECONDITION,
    "COMPONENT_DROPPED",
    `page_component ${componentId} cannot be rendered because of ${field}: ${reason}`,
    { metadata: { component_id: componentId, field, variable, reason } },
  );
}

function list(component: PageComponent, listing: Listing): ShownComponent {
  return { kind: "shown", component, listing };
}

function drop(
  { id, name }: PageComponent,
  {
    field,
    variable = "",
    reason,
  }: Pick<DroppedComponent, "field" | "reason"> & { readonly variable?: string },
): DroppedComponent {
  return { kind: "dropped", componentId: id, name, field, variable, reason };
}
