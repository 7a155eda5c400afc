import type { JsonObject } from "@bufbuild/protobuf";
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Document, groupByTag, type Operation } from "../openapi.ts";
import { ApiError, call } from "./api.ts";
import { type App, AppContext, type Organization, type Project, type Start } from "./app.ts";
import { moveFormsOfEnded } from "./kept-texts.ts";
import { kindOfSection } from "./kinds.ts";
import { readPage } from "./list-items.ts";
import { useLoad, useReloadOnFocus } from "./load.tsx";
import { NewProject } from "./new-project.tsx";
import { listPages } from "./preview/pages.ts";
import { linkTo, printRoute, useRoute } from "./router.ts";
import { printLabel } from "./schema.ts";
import { Secret } from "./secret.tsx";
import { hasPreviewKey, noteAccount, readToken, signOut } from "./session.ts";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";
import { Empty, Loading } from "./states.tsx";
import { View } from "./view.tsx";

/** The most permissions that TestPermissions takes. */
const PERMISSIONS_AT_ONCE = 100;

/** How long a notice is shown, in milliseconds. */
const NOTICE = 6_000;

/** The whole app: sign-in, else the view of the URL. */
export function Studio() {
  const start = useLoad(loadStart, []);
  if (start.error?.status === 401) {
    const error = readToken() === "" ? undefined : start.error;
    return <SignIn error={error} onSignIn={start.reload} />;
  }
  if (start.state !== undefined) return start.state;
  return <Opened start={start.value} reloadAccount={start.reload} />;
}

/** Loads the schema, and what the account sees. Fails with 401 without a valid credential. */
async function loadStart(signal: AbortSignal): Promise<Start> {
  if (hasPreviewKey()) return loadProjectOfKey();
  const [me, { body }] = await Promise.all([
    call({ path: "/iam/auth/v1/me", signal }),
    call({ path: "/studio/openapi.json", signal }),
  ]);
  const account = me.body.account as JsonObject;
  noteAccount(account);
  const visible = me.body.organizations as { organization: JsonObject; projects: JsonObject[] }[];
  return {
    document: body as unknown as Document,
    account,
    organizations: visible.map(({ organization }) => toNamed(organization)),
    projects: visible.flatMap(({ organization, projects }) =>
      projects.map(({ usage, ...it }) => {
        const { keys, items } = usage as JsonObject;
        return {
          ...toNamed(it),
          organizationId: String(organization.id),
          usage: { keys: Number(keys), items: Number(items) },
        };
      }),
    ),
  };
}

function toNamed({ id, name }: JsonObject): Organization {
  return { id: String(id), name: String(name || id) };
}

/** Finds the project of a preview key by its pages; one without pages has no name. No schema is needed. */
async function loadProjectOfKey(): Promise<Start> {
  const [{ projectId: id = "" } = {}] = await listPages({ projectId: "", release: "" });
  return {
    document: NO_SCHEMA,
    account: {},
    organizations: [],
    projects: [
      { id, name: id || "No pages yet", organizationId: "", usage: { keys: 1, items: 0 } },
    ],
  };
}

const NO_SCHEMA: Document = {
  ...{ info: { version: "", description: "" }, tags: [], "x-tagGroups": [], paths: {} },
  components: { parameters: {}, schemas: {} },
};

/** The app of a person who is signed in. */
function Opened({ start, reloadAccount }: { start: Start; reloadAccount: () => void }) {
  const { organizations, projects } = start;
  const route = useRoute();
  const isPreviewKey = hasPreviewKey();
  const project = projects.find(({ id }) => id === route.projectId);
  const view = [route.projectId, route.section, route.id].join("/");
  useEffect(() => scrollTo(0, 0), [view]);
  const isNamed = route.projectId !== "" && route.projectId !== "-";
  const [first] = projects.toSorted((a, b) => b.usage.items - a.usage.items);
  useEffect(() => {
    if (project === undefined && first !== undefined) {
      if (!isNamed) location.replace(printRoute({ ...route, projectId: first.id }));
    } else if (isPreviewKey && project?.id && route.section !== "preview") {
      location.replace(linkTo(route, "preview"));
    }
  }, [project, projects, route.section]);
  if (projects.length === 0) {
    return (
      <main class="sign-in">
        <h1>
          <span class="logo" aria-hidden="true" /> No project yet
        </h1>
        <p class="note">
          A project is one site or app. Ask an owner of your organization for a role in one
          {organizations.length > 0 && ", or create it"}.
        </p>
        {organizations.length > 0 && <NewProject organizations={organizations} />}
        <button type="button" class="plain" onClick={() => void signOut().then(reloadAccount)}>
          Sign out
        </button>
      </main>
    );
  }
  if (project === undefined) {
    if (!isNamed) return <Loading />;
    return (
      <main>
        <Empty title="This project does not exist, or you may not see it">
          <p>
            <code>{route.projectId}</code>
          </p>
          <a href="#/">Open {first?.name}</a>
        </Empty>
      </main>
    );
  }
  return (
    <OpenedProject
      key={project.id}
      {...{ ...start, route, isPreviewKey, project, reloadAccount }}
    />
  );
}

/** The app with a project. */
function OpenedProject(
  opened: Start & Pick<App, "route" | "isPreviewKey" | "project" | "reloadAccount">,
) {
  const { document: schema, route, isPreviewKey, project } = opened;
  const operations = useMemo(() => [...groupByTag(schema).values()].flat(), [schema]);
  const permissions = useLoad(
    (signal) => listPermissions(project, operations, signal),
    [operations],
  );
  const releases = useLoad(
    async (signal) => (isPreviewKey ? [] : listReleases(project, signal)),
    [],
  );
  useReloadOnFocus(releases);
  const [notice, setNotice] = useState("");
  const [secret, setSecret] = useState<{ readonly title: string; readonly text: string }>();
  useEffect(() => setSecret(undefined), [route.section]);
  useEffect(() => {
    const { section, id } = route;
    const view = kindOfSection(section)?.words[1] ?? printLabel(section);
    document.title = [id, view, project.name, "Marquee Studio"].filter(Boolean).join(" · ");
  }, [route.section, route.id]);
  useEffect(() => {
    const timer = setTimeout(() => setNotice(""), NOTICE);
    return () => clearTimeout(timer);
  }, [notice]);
  if (permissions.state !== undefined) return permissions.state;
  if (releases.value === undefined) return releases.state;
  const app: App = {
    ...opened,
    operations,
    permissions: permissions.value,
    releases: releases.value,
    releasesState: releases.state,
    reloadReleases: releases.reload,
    notify: setNotice,
    reveal: (title, text) => setSecret({ title, text }),
  };
  return (
    <AppContext.Provider value={app}>
      <Shell notice={notice}>
        {secret !== undefined && <Secret {...secret} onClose={() => setSecret(undefined)} />}
        <View key={[route.section, route.id].join("/")} />
      </Shell>
    </AppContext.Provider>
  );
}

/** The permissions that count on the organization of a project. */
const OF_ORGANIZATION =
  /^iam\.(accounts|bindings|roles|access_tokens|staff_sign_in)\.|^iam\.projects\.create$/;

/** Lists which permissions of any method the account has on a project, and on its organization. */
async function listPermissions(
  { id, organizationId }: Project,
  operations: readonly Operation[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const names = new Set(operations.flatMap((it) => it["x-permission"]?.name ?? []));
  const byKey = Map.groupBy(names, (it) =>
    OF_ORGANIZATION.test(it) ? `${organizationId}/organization` : `${id}/${id}/project`,
  );
  const held = [...byKey].map(([key, some]) => testPermissions(key, some, signal));
  return new Set((await Promise.all(held)).flat());
}

/** Lists which of some permissions the account has on the resource of a key. */
async function testPermissions(
  key: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const path = `/iam/auth/v1/policies/${encodeURIComponent(key)}/test_permissions`;
  const held: string[] = [];
  for (let at = 0; at < names.length; at += PERMISSIONS_AT_ONCE) {
    const permissions = names.slice(at, at + PERMISSIONS_AT_ONCE).join(",");
    const { body } = await call({ path, query: { permissions }, signal });
    held.push(...(body.permissions as string[]));
  }
  return held;
}

/** Lists the releases that can still be changed; none for an account that may not list them. */
async function listReleases({ id }: Project, signal: AbortSignal): Promise<readonly JsonObject[]> {
  const filter = "not state: RELEASE_STATE_APPLIED";
  const query = { project_id: id, filter, order: "apply_time desc", page_size: 1_000 };
  try {
    const { items } = await readPage("/cms/releases/v1", query, signal);
    moveFormsOfEnded(id, new Set(items.map((it) => it.id)));
    return items;
  } catch (cause) {
    if (cause instanceof ApiError && cause.status === 403) return [];
    throw cause;
  }
}
