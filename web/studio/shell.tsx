import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useApp } from "./app.ts";
import { isReleasable, KINDS, methodsOf, permissionOf } from "./kinds.ts";
import { linkTo, printRoute } from "./router.ts";
import { signOut } from "./session.ts";

const GROUPS = ["Content", "Pages", "Video", "Shop", "Automation"] as const;

/** The frame of every view: the menu, the project and the release. */
export function Shell({
  notice,
  onSignOut,
  children,
}: {
  notice: string;
  onSignOut: () => void;
  children: ComponentChildren;
}) {
  const { route, projects, permissions, isPreviewKey } = useApp();
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
        <select
          id="project"
          value={route.section === "new-project" ? "" : route.projectId}
          onChange={({ currentTarget: { value } }) => {
            location.hash =
              value === ""
                ? linkTo(route, "new-project")
                : printRoute({ projectId: value, section: "", id: "", query: {} });
          }}
        >
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          {permissions.has("iam.projects.create") && <option value="">New project …</option>}
        </select>
        {/* A preview shows several releases, which it lets the person choose. */}
        {!isPreviewKey && route.section !== "preview" && <ReleaseSwitch />}
        <button type="button" class="plain end" onClick={() => void signOut().then(onSignOut)}>
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
  const chosen = route.query.release ?? "";
  return (
    <>
      <label class="quiet" for="release">
        Version
      </label>
      <select
        id="release"
        title="Save into a release instead of the current version"
        value={chosen}
        onChange={({ currentTarget: { value } }) => {
          location.hash = printRoute({ ...route, query: { ...route.query, release: value } });
        }}
      >
        <option value="">Current</option>
        {releases.map(({ id, name }) => (
          <option key={String(id)} value={String(id)}>
            {String(name || id)}
          </option>
        ))}
        {chosen !== "" && !releases.some(({ id }) => id === chosen) && (
          <option value={chosen}>{chosen}</option>
        )}
      </select>
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
      {GROUPS.map((group) => {
        const kinds = KINDS.filter((it) => it.group === group).flatMap((kind) => {
          const methods = methodsOf(kind, operations);
          return permissions.has(permissionOf(methods.list)) ? [{ kind, methods }] : [];
        });
        if (kinds.length === 0) return undefined;
        return (
          <section key={group}>
            <h2>{group}</h2>
            <ul>
              {kinds.map(({ kind, methods }) =>
                link(kind.section, kind.words[1], !isReleasable(methods)),
              )}
            </ul>
          </section>
        );
      })}
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
