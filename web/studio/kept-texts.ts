import type { JsonObject } from "@bufbuild/protobuf";
import type { Conflict } from "./save.ts";

/** The prefix of forms in the storage of the tab. */
const FORM = "marquee-studio:form:";

/** The edited values of a form, with the version that they change. */
export interface KeptForm {
  readonly etag: string;
  readonly loaded: JsonObject;
  readonly edited: JsonObject;
  /** The conflicts that the person has yet to settle. */
  readonly conflicts: readonly Conflict[];
  /** Time of the last change, in milliseconds since 1970. */
  readonly time: number;
}

/** Reads the values that a form had when it was left; undefined: none. */
export function readKept(name: string): KeptForm | undefined {
  const kept = sessionStorage.getItem(FORM + name);
  return kept === null ? undefined : (JSON.parse(kept) as KeptForm);
}

/** Keeps the values of a form through a reload and a lost session, until they are saved; undefined forgets them. */
export function keepForm(name: string, form: KeptForm | undefined): void {
  if (form === undefined) sessionStorage.removeItem(FORM + name);
  else sessionStorage.setItem(FORM + name, JSON.stringify(form));
}
