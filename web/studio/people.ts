import { useApp } from "./app.ts";
import { readPage } from "./list-items.ts";
import { useLoad } from "./load.tsx";

/** Returns a function that names an account by its id. An account that may not list accounts sees ids. */
export function useAccountNames(): (id: string) => string {
  const { project, permissions } = useApp();
  const { organizationId } = project;
  const names = useLoad(
    async (signal) => {
      if (!permissions.has("iam.accounts.list")) return new Map();
      const query = { organization_id: organizationId, page_size: 1_000 };
      const { items } = await readPage("/iam/accounts/v1", query, signal);
      return new Map(items.map(({ id, name }) => [id, String(name)]));
    },
    [organizationId],
  );
  return (id) => names.value?.get(id) ?? id;
}
