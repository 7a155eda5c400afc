import { useApp } from "./app.ts";
import { findByIds } from "./form/search.ts";
import { COMPONENT, kindOfName, permissionOf, titleOf } from "./kinds.ts";
import { useLoad } from "./load.tsx";
import { nameRecord, parseKey } from "./record.tsx";
import { type Access, readResource, useAccessOf } from "./resource.ts";

/** Returns a function that names the resource of a key by its title, in words. */
export function useRecordNames(keys: readonly string[]): (key: string) => string {
  const titles = useTitles(keys);
  return (key) => {
    const title = titles.get(key);
    return nameRecord(key, title === undefined ? undefined : { name: title });
  };
}

/**
 * Returns the titles of resources by their keys, looked up by one list of each kind. Components, which are listed by page, are
 * read one by one.
 */
export function useTitles(keys: readonly string[]): ReadonlyMap<string, string> {
  const { route, permissions } = useApp();
  const accessOf = useAccessOf();
  const wanted = [...new Set(keys)];
  const names = useLoad(
    async (signal) => {
      const byKind = Map.groupBy(wanted.map(parseKey), ({ kind }) => kind);
      const lists = [...byKind].map(async ([name, records]) => {
        const kind = kindOfName(name);
        if (kind === undefined) return [];
        const access = { ...accessOf(kind), release: "" };
        // A role that may not list a kind sees ids.
        if (!permissions.has(permissionOf(access.methods.list))) return [];
        const ids = records.map(({ id }) => id);
        const hits = await (kind === COMPONENT ? readEach : findByIds)([access], ids, signal);
        return hits.map(({ id, title }) => [`${name}:${id}`, title] as const);
      });
      return new Map<string, string>((await Promise.all(lists)).flat());
    },
    [route.projectId, wanted.join()],
  );
  return names.value ?? new Map();
}

/** Reads resources one by one; those that are gone are absent. */
async function readEach([access]: readonly [Access], ids: readonly string[], signal: AbortSignal) {
  const reads = ids.map((id) => readResource(access, id, signal));
  return (await Promise.allSettled(reads)).flatMap((it, index) =>
    it.status === "fulfilled" ? [{ id: ids[index], title: titleOf(it.value.value) }] : [],
  );
}
