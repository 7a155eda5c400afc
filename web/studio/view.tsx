import { BillingView } from "./access/billing.tsx";
import { KeysView } from "./access/keys.tsx";
import { PeopleView } from "./access/people.tsx";
import { ProviderView } from "./access/provider.tsx";
import { useApp } from "./app.ts";
import { ComponentView } from "./composer/component.tsx";
import { Composer } from "./composer/composer.tsx";
import { HistoryView } from "./history.tsx";
import { HomeView } from "./home.tsx";
import { ItemView } from "./item.tsx";
import { COMPONENT, kindOfSection } from "./kinds.ts";
import { ListView } from "./list.tsx";
import { NewProject } from "./new-project.tsx";
import { PreviewView } from "./preview/preview.tsx";
import { ReleasesView } from "./releases/list.tsx";
import { ReleaseView } from "./releases/release.tsx";
import { linkTo } from "./router.ts";
import { Empty } from "./states.tsx";

/** The view that the URL names. */
export function View() {
  const { route, organizations, isPreviewKey } = useApp();
  if (isPreviewKey || route.section === "preview") return <PreviewView />;
  const kind = kindOfSection(route.section);
  if (kind === COMPONENT) return <ComponentView id={route.id} />;
  if (kind?.name === "page" && !["", "new"].includes(route.id)) {
    return <Composer kind={kind} id={route.id} />;
  }
  if (kind !== undefined) {
    if (route.id === "") return <ListView kind={kind} />;
    return <ItemView key={route.query.release} kind={kind} id={route.id} />;
  }
  if (route.section === "releases" && route.id !== "") return <ReleaseView id={route.id} />;
  if (route.section === "new-project") {
    return (
      <>
        <h1 class="heading">New project</h1>
        <NewProject organizations={organizations} />
      </>
    );
  }
  const Section = SECTIONS.get(route.section);
  if (Section !== undefined) return <Section />;
  return (
    <Empty title="There is no such view">
      <a href={linkTo(route, "")}>Home</a>
    </Empty>
  );
}

const SECTIONS = new Map([
  ["", HomeView],
  ["releases", ReleasesView],
  ["history", HistoryView],
  ["sign-in", ProviderView],
  ["people", PeopleView],
  ["billing", BillingView],
  ["keys", KeysView],
]);
