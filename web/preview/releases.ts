import type { Release } from "../../packages/client/src/studio.ts";
import { type Connection, callStudio } from "./call.ts";
import type { Choices } from "./choices.ts";
import { h, labelled } from "./element.ts";
import type { JsonOf } from "./json-of.ts";
import { note } from "./parts.ts";
import { printTime } from "./text.ts";

/** The most releases of one preview. */
const MOST = 5;

const SCHEDULED = "RELEASE_STATE_SCHEDULED";

/** Lists the releases of a project that are not applied, those that are scheduled by time; none without an access token. */
export async function listReleases(
  connection: Connection,
  projectId: string,
): Promise<readonly JsonOf<Release>[]> {
  if (connection.accessToken === "") return [];
  const { releases = [] } = await callStudio(
    connection,
    "svc.studio.cms.release.v1.ReleaseService/ListReleases",
    {
      projectId,
      filter: "not state: RELEASE_STATE_APPLIED",
      order: "apply_time asc",
      pageSize: 1_000,
    },
  );
  return releases;
}

/** Returns the ids of the releases that a preview shows: those that are due at its moment, then the chosen ones. */
export function listShown(
  releases: readonly JsonOf<Release>[],
  { releases: chosen, moment }: Choices,
): readonly string[] {
  const due = releases.filter(({ state, applyTime = "" }) => {
    return state === SCHEDULED && moment !== "" && new Date(applyTime) <= new Date(moment);
  });
  const ids = due.map(({ id = "" }) => id).filter((id) => !chosen.includes(id));
  return [...ids, ...chosen];
}

/** Returns the name of a release, else its id. */
export function nameOfRelease(releases: readonly JsonOf<Release>[], id: string): string {
  return releases.find((it) => it.id === id)?.name || id;
}

/** The context of the field of releases. */
interface ReleaseField {
  /** Why releases cannot be listed; empty: they can, or there is no access token. */
  readonly error: string;
  choose(releases: readonly string[]): void;
}

/** Draws the field of releases: choices from a list or, without a list, ids. */
export function drawReleases(
  releases: readonly JsonOf<Release>[],
  { releases: chosen, language }: Choices,
  { error, choose }: ReleaseField,
): HTMLElement {
  if (releases.length === 0) {
    const id = "releases";
    const input = h("input", {
      ...{ id, name: id, autocomplete: "off", spellcheck: false },
      ...{ value: chosen.join(", "), placeholder: "ids, such as finals, launch" },
    });
    const problem = error === "" ? undefined : note(`They cannot be listed: ${error}`);
    return h("div", {}, labelled("Releases", input), problem);
  }
  const describe = ({ state, applyTime = "", itemCount = 0 }: JsonOf<Release> = {}) => {
    const when = state === SCHEDULED ? printTime(applyTime, language) : "open";
    return `${when}, ${itemCount === 1 ? "1 draft" : `${itemCount} drafts`}`;
  };
  const rows = chosen.map((id, index) => {
    const release = releases.find((it) => it.id === id);
    const name = nameOfRelease(releases, id);
    const others = chosen.filter((it) => it !== id);
    const raise = () => choose(others.toSpliced(index - 1, 0, id));
    const button = (verb: string, label: string, text: string, onclick: () => void) =>
      h(
        "button",
        {
          ...{ type: "button", id: `${verb}-${id}`, title: label, onclick },
          "aria-label": `${label} ${name}`,
        },
        text,
      );
    return h(
      "li",
      {},
      h("span", {}, name, h("small", {}, release ? describe(release) : "applied: it is current")),
      index > 0 ? button("raise", "Move up", "↑", raise) : undefined,
      button("remove", "Remove", "×", () => choose(others)),
    );
  });
  const free = releases.filter(({ id = "" }) => !chosen.includes(id));
  const select = h(
    "select",
    { id: "release", disabled: chosen.length >= MOST || free.length === 0 },
    h("option", { value: "" }, chosen.length === 0 ? "none" : "add another …"),
    ...free.map((it) =>
      h("option", { value: it.id }, `${nameOfRelease([it], it.id ?? "")} (${describe(it)})`),
    ),
  );
  select.addEventListener("change", (event) => {
    event.stopPropagation();
    choose([...chosen, select.value]);
  });
  return h(
    "div",
    { className: "releases" },
    labelled("Releases", select),
    rows.length > 0 ? h("ol", {}, ...rows) : undefined,
    rows.length > 1 ? note("Later ones are on top.") : undefined,
  );
}
