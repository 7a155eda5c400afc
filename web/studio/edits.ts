import type { JsonObject } from "@bufbuild/protobuf";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { keepForm, readForm } from "./kept-texts.ts";
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
  read(): Changes;
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
  const read = () => ({ ...current.current, keptTime: current.current.keptTime ?? Date.now() });
  const [isKept, setKept] = useState(true);
  // Before the browser does anything else, such as a reload.
  useLayoutEffect(() => setKept(keepForm(name, isTyped ? read() : undefined)), [name, changes]);
  useLayoutEffect(() => {
    if (!isTyped) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isTyped]);
  const edit = (edited: JsonObject) => setChanges((it) => ({ ...it, edited, keptTime: undefined }));
  const changeUnread: Edits["changeUnread"] = (change) =>
    setChanges((it) => ({ ...it, unread: change(it.unread) }));
  const rebase: Edits["rebase"] = (loaded, sent, merged = loaded.value, conflicts = []) => {
    newest.current = loaded;
    setChanges((it) => {
      return { ...it, loaded, edited: keepTyped(sent, it.edited, merged), conflicts };
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

/** Returns the changes that the tab keeps, unless `first` has them: a save may have ended after its view was left. */
function restore(name: string, first: Resource): Changes {
  const kept = readForm<Changes>(name);
  if (kept === undefined) return begin(first);
  const merged = keepTyped(kept.loaded.value, kept.edited, first.value);
  const isStored = listChanged(first.value, merged).length === 0;
  if (isStored && Object.keys(kept.unread).length === 0) return begin(first);
  return { ...kept, loaded: { ...kept.loaded, pendingReleases: first.pendingReleases } };
}
