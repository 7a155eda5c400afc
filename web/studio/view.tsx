import { useApp } from "./app.ts";
import { ItemView } from "./item.tsx";
import { kindOfSection } from "./kinds.ts";
import { ListView } from "./list.tsx";
import { Empty } from "./states.tsx";

/** The view that the URL names. */
export function View() {
  const { route } = useApp();
  const kind = kindOfSection(route.section);
  if (kind !== undefined) {
    return route.id === "" ? <ListView kind={kind} /> : <ItemView kind={kind} id={route.id} />;
  }
  return <Empty title="Nothing here yet" />;
}
