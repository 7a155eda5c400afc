import type { JsonObject } from "@bufbuild/protobuf";
import { useRef, useState } from "preact/hooks";
import { useActs } from "./acts.tsx";
import { call } from "./api.ts";
import { useApp } from "./app.ts";
import { type ListQuery, listItems } from "./list-items.ts";
import type { Access } from "./resource.ts";

/** The records of a call: few enough that each step of the progress is seen. */
const AT_ONCE = 50;

/** The most items that are changed together. */
export const MOST = 10_000;

/** The ids that one call of a list returns while all of them are collected. */
const LISTED = 100;

/** Changes fields of many items in steps. `query` is the list that `changeAll` changes. `onDone` follows each change. */
export function useBulkChange(access: Access, query: ListQuery, onDone: () => void) {
  const { notify } = useApp();
  const { kind, projectId } = access;
  const [progress, setProgress] = useState<{ readonly done: number; readonly of: number }>();
  const [rejected, setRejected] = useState<readonly JsonObject[]>([]);
  const acts = useActs();
  const isStopped = useRef(false);

  /** Writes fields of items; `word` says what is done to them. */
  const change = (chosen: ReadonlySet<string> | "all", fields: JsonObject, word: string) =>
    acts.run(async () => {
      isStopped.current = false;
      setRejected([]);
      let done = 0;
      let ids: readonly string[] = chosen === "all" ? [] : [...chosen];
      const failed: JsonObject[] = [];
      const changed = () => `${word} ${done - failed.length} of ${ids.length}`;
      try {
        setProgress({ done, of: ids.length });
        if (chosen === "all") ids = await listIds();
        for (let at = 0; at < ids.length && !isStopped.current; at += AT_ONCE) {
          const part = ids.slice(at, at + AT_ONCE);
          failed.push(...(await write(part, fields)));
          done += part.length;
          setProgress({ done, of: ids.length });
        }
        return `${changed()}${isStopped.current ? ", then stopped" : ""}.`;
      } catch (cause) {
        if (done > 0) notify(`${changed()}, then failed.`);
        throw cause;
      } finally {
        setRejected(failed);
        setProgress(undefined);
        onDone();
      }
    });

  /** Lists the ids of all items that the list matches. */
  async function listIds(): Promise<readonly string[]> {
    const ids: string[] = [];
    let pageToken = "";
    do {
      const page = await listItems(access, { ...query, pageToken, pageSize: LISTED });
      ids.push(...page.items.map(({ id }) => String(id)));
      pageToken = page.nextPageToken;
      setProgress({ done: 0, of: ids.length });
    } while (pageToken !== "" && ids.length < MOST && !isStopped.current);
    return ids.slice(0, MOST);
  }

  /** Writes fields of records; returns the records that were rejected. */
  async function write(ids: readonly string[], fields: JsonObject): Promise<readonly JsonObject[]> {
    const records = ids.map((id) => ({
      [kind.name]: { id, ...fields },
      fields_mask: Object.keys(fields).join(","),
    }));
    const { body } = await call({
      path: "/cms/records/v1:write",
      body: { project_id: projectId, mode: "WRITE_MODE_EACH", records },
    });
    return (body.results as JsonObject[]).filter(({ error }) => error);
  }

  const stop = () => {
    isStopped.current = true;
  };
  return { change, stop, progress, rejected, failure: acts.failure };
}
