import type { JsonObject } from "@bufbuild/protobuf";
import { type Inputs, useLayoutEffect, useState } from "preact/hooks";
import { listChanged } from "./resource.ts";
import { type Conflict, keepTyped } from "./save.ts";

/** The prefix of forms in the storage of the tab. */
const FORM = "marquee-studio:form:";

/** The edited values of a form, with the version that they change. */
export interface KeptForm {
  readonly etag: string;
  readonly loaded: JsonObject;
  readonly edited: JsonObject;
  /** The conflicts that the person has yet to settle. */
  readonly conflicts: readonly Conflict[];
  /** Texts that cannot be read as a value, by the control. */
  readonly unread?: Readonly<Record<string, string>>;
  /** Time of the last change, in milliseconds since 1970. */
  readonly time: number;
}

/**
 * Reads the values that a form had when it was left; undefined: none, or the current version has them, because a save ended
 * after its view was left.
 */
export function readKept(name: string, current: JsonObject): KeptForm | undefined {
  const kept = sessionStorage.getItem(FORM + name);
  if (kept === null) return undefined;
  const form = JSON.parse(kept) as KeptForm;
  const merged = keepTyped(form.loaded, form.edited, current);
  const isStored = listChanged(current, merged).length === 0;
  return isStored && Object.keys(form.unread ?? {}).length === 0 ? undefined : form;
}

/**
 * Keeps a form with unsaved values as it is typed; undefined: it has none. Another page than a view of the app asks first.
 * Reports whether the form is kept.
 */
export function useKept(name: string, form: KeptForm | undefined, inputs: Inputs): boolean {
  const [isKept, setKept] = useState(true);
  // Before the browser does anything else, such as a reload.
  useLayoutEffect(() => setKept(keepForm(name, form)), [name, ...inputs]);
  const isDirty = form !== undefined;
  useLayoutEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isDirty]);
  return isKept;
}

/**
 * Keeps the values of a form through a reload and a lost session, until they are saved; undefined forgets them. Reports
 * false if the forms of the tab are too large for the storage of the browser.
 */
export function keepForm(name: string, form: KeptForm | undefined): boolean {
  try {
    if (form === undefined) sessionStorage.removeItem(FORM + name);
    else sessionStorage.setItem(FORM + name, JSON.stringify(form));
    return true;
  } catch {
    return false;
  }
}
