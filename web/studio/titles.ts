import { useApp } from "./app.ts";
import { findByIds } from "./form/search.ts";
import { COMPONENT, kindOfName, permissionOf } from "./kinds.ts";
import { useLoad } from "./load.tsx";
import { nameRecord, parseKey } from "./record.tsx";
import { useAccessOf } from "./resource.ts";

/** Returns a function that names the resource of a key by its title, looked up by one list of each kind. */
export function useRecordNames(keys: readonly string[]): (key: string) => string {
  const { route, permissions } = useApp();
  const accessOf = useAccessOf();
  const wanted = [...new Set(keys)];
  const names = useLoad(
    async (signal) => {
      const byKind = Map.groupBy(wanted.map(parseKey), ({ kind }) => kind);
      const lists = [...byKind].map(async ([name, records]) => {
        const kind = kindOfName(name);
        // Components are listed by page, and a role that may not list a kind sees ids.
        if (kind === undefined || kind === COMPONENT) return [];
        const access = { ...accessOf(kind), release: "" };
        if (!permissions.has(permissionOf(access.methods.list))) return [];
        const ids = records.map(({ id }) => id);
        const hits = await findByIds([access], ids, signal);
        return hits.map(({ id, title }) => [`${name}:${id}`, title] as const);
      });
      return new Map<string, string>((await Promise.all(lists)).flat());
    },
    [route.projectId, wanted.join()],
  );
  return (key) => {
    const title = names.value?.get(key);
    return nameRecord(key, title === undefined ? undefined : { name: title });
  };
}
