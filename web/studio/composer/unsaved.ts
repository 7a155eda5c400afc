import type { JsonObject } from "@bufbuild/protobuf";
import { useEffect, useState } from "preact/hooks";
import type { ApiError } from "../api.ts";
import { explainDropped } from "../drawing/dropped.tsx";
import type { Resolved } from "../drawing/resolved.ts";
import { toApiError } from "../load.tsx";
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
  const [unsaved, setUnsaved] = useState<Unsaved>();
  const id = String(typed?.id ?? "");
  useEffect(() => {
    if (typed === undefined) {
      setUnsaved(undefined);
      return;
    }
    const controller = new AbortController();
    const name = String(typed.name || printType(String(typed.type)));
    const show = (change: Partial<Unsaved>) => {
      if (controller.signal.aborted) return;
      setUnsaved((before) => {
        const kept = before?.id === id ? before.resolved : undefined;
        // A component that is new has a place even if it cannot be shown.
        const empty = id === "" ? toResolved({}) : undefined;
        return { id, resolved: kept ?? empty, problem: "", ...change };
      });
    };
    const toResolved = ({ component, ...it }: Resolved): Resolved => {
      const shown = { type: String(typed.type), ...component, id } as typeof component;
      return { ...it, component: { ...shown, ...(id === "" && { name }) } };
    };
    const timer = setTimeout(() => {
      renderComponent(typed, pageId, version, choices, controller.signal).then(
        (it) => show({ resolved: toResolved(it) }),
        (cause) => show({ problem: explain(toApiError(cause)) }),
      );
    }, REST);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [JSON.stringify([typed, pageId, version, choices])]);
  return unsaved?.id === id ? unsaved : undefined;
}

function explain({ reason, message, metadata }: ApiError): string {
  if (reason !== "COMPONENT_DROPPED") return `Shown as before: ${message}`;
  return `Viewers would not see it: ${explainDropped(metadata)}`;
}
