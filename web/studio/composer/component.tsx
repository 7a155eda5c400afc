import { useEffect } from "preact/hooks";
import { call } from "../api.ts";
import { useApp } from "../app.ts";
import { useLoad } from "../load.tsx";
import { linkTo } from "../router.ts";
import { Loading } from "../states.tsx";

/** Opens the page of a component, with its form. */
export function ComponentView({ id }: { id: string }) {
  const { route } = useApp();
  const { release = "" } = route.query;
  const found = useLoad(
    async (signal) => {
      if (id === "") return "";
      const path = `/ott/page_components/v2/${encodeURIComponent(id)}`;
      const { body } = await call({ path, query: { release_id: release }, signal });
      return String(body.page_id);
    },
    [id, release],
  );
  useEffect(() => {
    if (found.value === undefined) return;
    const query = id === "" ? {} : { component: id };
    location.replace(linkTo(route, "pages", found.value, query));
  }, [found.value]);
  return found.state ?? <Loading />;
}
