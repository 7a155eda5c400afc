import { useApp } from "./app.ts";
import { findByIds } from "./form/search.ts";
import { kindOfName, methodsOf, permissionOf } from "./kinds.ts";
import { useLoad } from "./load.ts";
import { nameRecord, parseKey } from "./record.tsx";

/** Returns a function that names the resource of a key by its title, looked up by one list of each kind. */
export function useRecordNames(keys: readonly string[]): (key: string) => string {
  const { route, operations, permissions } = useApp();
  const { projectId } = route;
  const wanted = [...new Set(keys)];
  const names = useLoad(
    async (signal) => {
      const byKind = Map.groupBy(wanted.map(parseKey), ({ kind }) => kind);
      const lists = [...byKind].map(async ([name, records]) => {
        const kind = kindOfName(name);
        const { list } = kind === undefined ? { list: undefined } : methodsOf(kind, operations);
        // Components are listed by page, and a role that may not list a kind sees ids.
        const isListed = list?.parameters.some((it) => it.name === "project_id") ?? false;
        const mayList = permissions.has(permissionOf(list));
        if (kind === undefined || list === undefined || !isListed || !mayList) return [];
        const ids = records.map(({ id }) => id);
        const hits = await findByIds([{ kind, projectId, listPath: list.path }], ids, signal);
        return hits.map(({ id, title }) => [`${name}:${id}`, title] as const);
      });
      return new Map<string, string>((await Promise.all(lists)).flat());
    },
    [projectId, wanted.join()],
  );
  return (key) => {
    const title = names.value?.get(key);
    return nameRecord(key, title === undefined ? undefined : { name: title });
  };
}
