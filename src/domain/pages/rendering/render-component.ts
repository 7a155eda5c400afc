import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { DomainError } from "../../errors.ts";
import { resolveComponent } from "../../variables/resolve-component.ts";
import type { Scope } from "../../variables/scope.ts";
import { getDataMember } from "../components/data-member.ts";
import { INLINE_PATH, resolveInlineGrid } from "./inline-grid.ts";
import {
  type Listing,
  type Session,
  toCalendarListing,
  toCalendarV2Listing,
  toRailListing,
} from "./listing.ts";
import { canBeMirrored, findMirroredId, REFERENCE_PATH } from "./mirror.ts";
import { type Reference, readReferences } from "./reference.ts";

/** A component as a client renders it, or why it is left out. */
export type RenderedComponent = ShownComponent | DroppedComponent;

/** A component free of variables. */
export interface ShownComponent {
  readonly kind: "shown";
  /** Its group_id is its own id where it belongs to no group. */
  readonly component: PageComponent;
  /** What its items are; absent where it lists none. */
  readonly listing?: Listing;
  /** What it shows by ids: at least one of it must exist; absent where it shows nothing so. */
  readonly references?: readonly [Reference, ...Reference[]];
}

/** A component that is left out, and why. */
export interface DroppedComponent {
  readonly kind: "dropped";
  readonly componentId: string;
  /** The field at fault, such as `rail.filter`. */
  readonly field: string;
  /** The path of the variable at fault; empty where it is not one. */
  readonly variable: string;
  readonly reason: "VARIABLE_UNRESOLVED" | "REFERENCE_NOT_FOUND" | "CONFIGURATION_INVALID";
}

/** What a component is rendered in. */
export interface RenderContext {
  /** The variables of the page that shows it. */
  readonly scope: Scope;
  readonly session: Session;
  /** The components that grids of the page mirror, by id, as far as they may be seen. */
  readonly mirrored: ReadonlyMap<string, PageComponent>;
}

/**
 * Renders one component: its variables resolved, its filter composed with the session, a grid's
 * settings taken from where they lie. Whether its references exist is left to {@link checkReferences}.
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

/** Leaves a component out of whose references none exists. */
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

/** A mirror is the way to see all, so what limits a rail does not limit it. */
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
