import type { JsonObject } from "@bufbuild/protobuf";
import type { ApiError } from "../api.ts";
import { explainDropped } from "../drawing/dropped.tsx";
import type { Resolved } from "../drawing/resolved.ts";
import { useDebounced } from "../form/combobox.tsx";
import { useLoad } from "../load.tsx";
import type { Choices } from "./choices.tsx";
import { printType, renderComponent, type Version } from "./page.ts";

/** How long a form rests before its component is rendered, in milliseconds. */
const REST = 100;

/** A component as its form has it, rendered but not saved. */
export interface Unsaved {
  /** Empty: it is new. */
  readonly id: string;
  /** The last rendering; undefined: there is none yet. */
  readonly resolved: Resolved | undefined;
  /** Why the newest values cannot be shown; empty: they are. */
  readonly problem: string;
}

/** Renders the values of a form while they are typed; undefined: all is saved. */
export function useUnsaved(
  typed: JsonObject | undefined,
  pageId: string,
  version: Version,
  choices: Choices,
): Unsaved | undefined {
  const id = String(typed?.id ?? "");
  const settled = useDebounced(JSON.stringify([typed, pageId, version, choices]), REST);
  const rendered = useLoad(
    async (signal) => {
      if (typed === undefined) return undefined;
      return { id, ...(await renderComponent(typed, pageId, version, choices, signal)) };
    },
    [id, settled],
  );
  const { value, error } = rendered;
  if (typed === undefined || (value === undefined && error === undefined)) return undefined;
  // A component that is new has a place even if it cannot be shown.
  const resolved = value?.id === id || id === "" ? { ...value } : undefined;
  const type = String(typed.type);
  const name = id === "" ? { name: String(typed.name || printType(type)) } : {};
  const component = { type, ...resolved?.component, id, ...name };
  return {
    id,
    resolved: resolved && ({ ...resolved, component } as Resolved),
    problem: error === undefined ? "" : explain(error),
  };
}

function explain({ reason, message, metadata }: ApiError): string {
  if (reason !== "COMPONENT_DROPPED") return `Shown as before: ${message}`;
  return `Viewers would not see it: ${explainDropped(metadata)}`;
}
