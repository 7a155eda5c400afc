import type { JsonObject } from "@bufbuild/protobuf";

/** The view that an editor is part of. */
export interface Surroundings {
  /** Of a new resource: more arguments of its creation, such as its place. */
  readonly query?: Readonly<Record<string, string | number>>;
  readonly back: { readonly href: string; readonly text: string };
  /** Called with the values as they are typed; undefined: none differs from what is saved. */
  onEdit?(value: JsonObject | undefined): void;
  /** Called after the resource was created or saved. */
  onSaved(value: JsonObject): void;
  /** Called after the resource was deleted; `back` is opened then. Absent: the list is opened. */
  onDeleted?: () => void;
}
