import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useApp } from "./app.ts";
import { isReleasable, KINDS, methodsOf, permissionOf } from "./kinds.ts";
import { nameOf } from "./releases/list.tsx";
import { changeChoices, linkTo, printRoute } from "./router.ts";
import { Select } from "./select.tsx";
import { signOut } from "./session.ts";

/** The frame of every view: the menu, the project and the release. */
export function Shell({ notice, children }: { notice: string; children: ComponentChildren }) {
  const { route, projects, permissions, isPreviewKey, reloadAccount } = useApp();
  return (
    <div
      class="shell"
      data-release={route.query.release ? "true" : undefined}
      data-single={isPreviewKey || undefined}
    >
      <button type="button" class="skip" onClick={focusView}>
        Skip to the content
      </button>
      <header class="bar">
        <a class="brand" href={linkTo(route, "")}>
          <span class="logo" aria-hidden="true" /> <b>Marquee</b>
        </a>
        <label class="quiet" for="project">
          Project
        </label>
        <Select
          id="project"
          value={route.section === "new-project" ? "" : route.projectId}
          options={[
            ...projects.map(({ id, name }) => [id, name] as const),
            ...(permissions.has("iam.projects.create") ? [["", "New project …"] as const] : []),
          ]}
          onChoose={(projectId) => {
            location.hash =
              projectId === ""
                ? linkTo(route, "new-project")
                : printRoute({ projectId, section: "", id: "", query: {} });
          }}
        />
        {/* A preview shows several releases, which it lets the person choose. */}
        {!isPreviewKey && route.section !== "preview" && <ReleaseSwitch />}
        <button type="button" class="plain end" onClick={() => void signOut().then(reloadAccount)}>
          Sign out
        </button>
      </header>
      {!isPreviewKey && <Menu />}
      <main id="view" tabIndex={-1}>
        {children}
      </main>
      <p class="notice" role="status" data-shown={notice !== "" || undefined}>
        {notice}
      </p>
    </div>
  );
}

function focusView(): void {
  document.querySelector<HTMLElement>("#view")?.focus();
}

/** Chooses the release that every view shows and every form is saved into. */
function ReleaseSwitch() {
  const { route, releases } = useApp();
  const { release = "" } = route.query;
  const names = releases.map((it) => [String(it.id), nameOf(it)] as const);
  const versions = new Map([["", "Current"], ...names]);
  if (!versions.has(release)) versions.set(release, release);
  return (
    <>
      <label class="quiet" for="release">
        Version
      </label>
      <Select
        id="release"
        title="Save into a release instead of the current version"
        value={release}
        options={versions}
        onChoose={(chosen) => changeChoices({ release: chosen })}
      />
    </>
  );
}

function Menu() {
  const { route, operations, permissions } = useApp();
  const link = (section: string, text: string, isCurrentAlways = false) => (
    <li key={section}>
      <a
        href={linkTo(route, section)}
        aria-current={route.section === section ? "page" : undefined}
      >
        {text}
        {isCurrentAlways && route.query.release && (
          <small title="Not part of releases: a save changes the current version">
            always current
          </small>
        )}
      </a>
    </li>
  );
  const listed = KINDS.filter((it) =>
    permissions.has(permissionOf(methodsOf(it, operations).list)),
  );
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [route.section]);
  return (
    <nav class="menu" aria-label="Sections" data-open={isOpen || undefined}>
      <button type="button" class="opener" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Menu
      </button>
      <ul>
        {link("", "Home")}
        {link("preview", "Preview")}
        {link("releases", "Releases")}
        {link("history", "History")}
      </ul>
      {[...Map.groupBy(listed, ({ group }) => group)].map(([group, kinds]) => (
        <section key={group}>
          <h2>{group}</h2>
          <ul>
            {kinds.map((it) =>
              link(it.section, it.words[1], !isReleasable(methodsOf(it, operations))),
            )}
          </ul>
        </section>
      ))}
      <section>
        <h2>Settings</h2>
        <ul>
          {permissions.has("iam.project_keys.list") && link("keys", "Keys")}
          {permissions.has("monetization.billing_integrations.get") &&
            link("billing", "Billing provider")}
          {permissions.has("iam.accounts.list") && link("people", "People")}
          {permissions.has("iam.staff_sign_in.get") && link("sign-in", "Sign-in")}
        </ul>
      </section>
    </nav>
  );
}
