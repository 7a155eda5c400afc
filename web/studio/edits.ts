import type { JsonObject } from "@bufbuild/protobuf";
import { useEffect, useRef, useState } from "preact/hooks";
import { type KeptForm, readKept, useKept } from "./kept-texts.ts";
import { listChanged, type Resource } from "./resource.ts";
import { type Conflict, keepTyped } from "./save.ts";

/** The changes of a person to a version of a resource. */
interface Changes {
  readonly loaded: Resource;
  readonly edited: JsonObject;
  /** The conflicts with another person's version that the person has yet to settle. */
  readonly conflicts: readonly Conflict[];
  /** Texts that cannot be read as a value, by the control. */
  readonly unread: Readonly<Record<string, string>>;
  /** Time of the last change, if it was made before the form was opened, in milliseconds since 1970. */
  readonly keptTime?: number | undefined;
}

/** The state of a form. */
export interface Edits extends Changes {
  /** True if a value differs from the version. */
  readonly isDirty: boolean;
  /** True if there is something to save or to discard. */
  readonly isTyped: boolean;
  /** False if the tab has no room for the changes. */
  readonly isKept: boolean;
  /** Counts how often changes were discarded. */
  readonly discards: number;
  edit(edited: JsonObject): void;
  changeUnread(change: (unread: Changes["unread"]) => Changes["unread"]): void;
  /**
   * Goes on with the newest version. Changes that were typed since the values `sent` stay; `merged`: the newest version
   * with these values.
   */
  rebase(
    newest: Resource,
    sent: JsonObject,
    merged?: JsonObject,
    conflicts?: Changes["conflicts"],
  ): void;
  /** Goes on with the newest version that is known, without the changes. */
  discard(): void;
  /** Returns the changes, also the newest ones during a save, as the tab keeps them. */
  read(): KeptForm;
}

/** Creates the state of a form; changes that the tab keeps by its name are restored. Another `first` is a newer version. */
export function useEdits(name: string, first: Resource): Edits {
  const [changes, setChanges] = useState(() => restore(name, first));
  const [discards, setDiscards] = useState(0);
  const newest = useRef(first);
  const current = useRef(changes);
  current.current = changes;
  const { loaded, edited, unread } = changes;
  const isDirty = listChanged(loaded.value, edited).length > 0;
  const isTyped = isDirty || Object.keys(unread).length > 0;
  const read = () => toKept(current.current);
  const isKept = useKept(name, isTyped ? read() : undefined, [changes]);
  const edit = (edited: JsonObject) => setChanges((it) => ({ ...it, edited, keptTime: undefined }));
  const changeUnread: Edits["changeUnread"] = (change) =>
    setChanges((it) => ({ ...it, unread: change(it.unread) }));
  const rebase: Edits["rebase"] = (loaded, sent, merged = loaded.value, conflicts = []) => {
    newest.current = loaded;
    setChanges(({ edited, unread }) => {
      return { loaded, edited: keepTyped(sent, edited, merged), conflicts, unread };
    });
  };
  const discard = () => {
    setChanges(begin(newest.current));
    setDiscards((it) => it + 1);
  };
  useEffect(() => {
    newest.current = first;
    if (!isDirty && first.etag !== loaded.etag) rebase(first, edited);
  }, [first]);
  const state = { isDirty, isTyped, isKept, discards };
  return { ...changes, ...state, edit, changeUnread, rebase, discard, read };
}

function begin(loaded: Resource): Changes {
  return { loaded, edited: loaded.value, conflicts: [], unread: {} };
}

function restore(name: string, first: Resource): Changes {
  const kept = readKept(name, first.value);
  if (kept === undefined) return begin(first);
  const { etag, loaded: value, edited, conflicts, unread = {}, time: keptTime } = kept;
  return { loaded: { ...first, etag, value }, edited, conflicts, unread, keptTime };
}

function toKept({ loaded, keptTime = Date.now(), ...typed }: Changes): KeptForm {
  return { ...typed, etag: loaded.etag, loaded: loaded.value, time: keptTime };
}
