import { useApp } from "./app.ts";
import { ComponentView } from "./composer/component.tsx";
import { Composer } from "./composer/composer.tsx";
import { ItemView } from "./item.tsx";
import { COMPONENT, kindOfSection } from "./kinds.ts";
import { ListView } from "./list.tsx";
import { Empty } from "./states.tsx";

/** The view that the URL names. */
export function View() {
  const { route } = useApp();
  const kind = kindOfSection(route.section);
  if (kind === COMPONENT) return <ComponentView id={route.id} />;
  if (kind?.name === "page" && !["", "new"].includes(route.id)) {
    return <Composer kind={kind} id={route.id} />;
  }
  if (kind !== undefined) {
    return route.id === "" ? <ListView kind={kind} /> : <ItemView kind={kind} id={route.id} />;
  }
  return <Empty title="Nothing here yet" />;
}
