import type { JsonObject } from "@bufbuild/protobuf";
import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { type Rail, RailSchema } from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { Code, DomainError } from "../../errors.ts";
import {
  resolveComponent,
  resolveTexts,
  type UnresolvedField,
} from "../../variables/resolve-component.ts";
import type { Scope } from "../../variables/scope.ts";
import { getDataMember } from "../components/data-member.ts";
import { readInlineGrid } from "../components/inline-grid.ts";
import {
  type Listing,
  type Session,
  toCalendarListing,
  toCalendarV2Listing,
  toRailListing,
} from "./listing.ts";
import { canBeMirrored, findMirroredId, REFERENCE_PATH } from "./mirror.ts";
import { type Reference, readReferences } from "./reference.ts";

/** A component to render, or the reason to drop it. */
export type RenderedComponent = ShownComponent | DroppedComponent;

/** A component with resolved variables. */
export interface ShownComponent {
  readonly kind: "shown";
  /** Its group_id is its own id if it belongs to no group. */
  readonly component: PageComponent;
  /** The query of its items; absent if it has none. */
  readonly listing?: Listing;
  /** The resources that it shows by id, at least one of which must exist; absent if it shows none. */
  readonly references?: readonly [Reference, ...Reference[]];
}

/** A dropped component and the reason. */
export interface DroppedComponent {
  readonly kind: "dropped";
  readonly componentId: string;
  /** The field at fault, such as `rail.filter`. */
  readonly field: string;
  /** The path of the variable at fault; empty for another fault. */
  readonly variable: string;
  readonly reason: "VARIABLE_UNRESOLVED" | "REFERENCE_NOT_FOUND" | "CONFIGURATION_INVALID";
}

/** The context in which a component is rendered. */
export interface RenderContext {
  /** The variables of its page. */
  readonly scope: Scope;
  readonly session: Session;
  /** The visible components that grids of the page mirror, by id. */
  readonly mirrored: ReadonlyMap<string, PageComponent>;
}

/**
 * Renders one component: resolves its variables, composes its filter with the session and reads the
 * settings of a grid. {@link checkReferences} checks its references.
 */
export function renderComponent(
  component: PageComponent,
  context: RenderContext,
): RenderedComponent {
  try {
    return render(component, context);
  } catch (fault) {
    if (!(fault instanceof DomainError)) throw fault;
    const field = fault.metadata.field ?? getDataMember(component)?.name ?? "";
    return drop(component, { field, reason: "CONFIGURATION_INVALID" });
  }
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

function render(stored: PageComponent, context: RenderContext): RenderedComponent {
  const resolved = resolveComponent(stored, context.scope);
  if (resolved.kind === "dropped") return drop(stored, resolved);
  const { component } = resolved;
  if (component.groupId === "") component.groupId = component.id;
  const { data } = component;
  switch (data.case) {
    case "rail":
      return list(component, toRailListing(data.value, "rail", context.session));
    case "calendarV2":
      return list(component, toCalendarV2Listing(data.value, context.session));
    case "calendar":
      return list(component, toCalendarListing(data.value));
    case "contentGrid":
      return renderGrid(component, data.value, context);
    default: {
      const [first, ...others] = readReferences(stored, component);
      return { kind: "shown", component, ...(first && { references: [first, ...others] }) };
    }
  }
}

type Grid = Extract<PageComponent["data"], { case: "contentGrid" }>["value"];

function renderGrid(
  component: PageComponent,
  grid: Grid,
  context: RenderContext,
): RenderedComponent {
  switch (grid.source.case) {
    case "inline": {
      const resolved = resolveInlineGrid(grid.source.value, context.scope);
      if (resolved.kind === "dropped") return drop(component, resolved);
      grid.source.value = resolved.inline;
      return list(component, toRailListing(resolved.rail, INLINE_PATH, context.session));
    }
    case "reference":
      return renderMirror(component, context);
    case undefined:
      return { kind: "shown", component };
    default:
      return grid.source satisfies never;
  }
}

/** The path of a grid's settings. */
const INLINE_PATH = "content_grid.inline";

/** The settings of a grid without variables, as JSON and as a rail. */
type ResolvedGrid =
  | { readonly kind: "resolved"; readonly inline: JsonObject; readonly rail: Rail }
  | UnresolvedField;

/**
 * Resolves the variables in the filter and the search of a grid; settings unknown to a rail are kept.
 * Throws a `DomainError` that names the field for a malformed template.
 */
function resolveInlineGrid(inline: JsonObject, scope: Scope): ResolvedGrid {
  const rail = readInlineGrid(inline);
  const unresolved = resolveTexts(RailSchema, rail, scope, INLINE_PATH);
  if (unresolved !== undefined) return unresolved;
  const texts = { filter: rail.filter, search: rail.search };
  const written = Object.entries(texts).filter(([name]) => typeof inline[name] === "string");
  return { kind: "resolved", inline: { ...inline, ...Object.fromEntries(written) }, rail };
}

/** Renders a mirror, which shows all items: the limit of the mirrored rail does not apply. */
function renderMirror(component: PageComponent, context: RenderContext): RenderedComponent {
  const id = findMirroredId(component);
  if (id === undefined) return { kind: "shown", component };
  const mirrored = context.mirrored.get(id);
  if (mirrored === undefined || !canBeMirrored(mirrored)) {
    return drop(component, { field: REFERENCE_PATH, reason: "REFERENCE_NOT_FOUND" });
  }
  const rendered = renderComponent(mirrored, context);
  if (rendered.kind === "dropped") return drop(component, { ...rendered, field: REFERENCE_PATH });
  const { listing } = rendered;
  return { kind: "shown", component, ...(listing && { listing: { ...listing, limit: 0 } }) };
}

function list(component: PageComponent, listing: Listing): ShownComponent {
  return { kind: "shown", component, listing };
}

function drop(
  { id }: PageComponent,
  {
    field,
    variable = "",
    reason,
  }: Pick<DroppedComponent, "field" | "reason"> & { readonly variable?: string },
): DroppedComponent {
  return { kind: "dropped", componentId: id, field, variable, reason };
}
