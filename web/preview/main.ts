import type { JsonObject } from "@bufbuild/protobuf";
import type { GetPageResponse, Page } from "../../packages/client/src/delivery.ts";
import type { Release } from "../../packages/client/src/studio.ts";
import { HERE } from "../here.ts";
import { CallError, type CallResponse, type Connection, read } from "./call.ts";
import { type Choices, ENVIRONMENTS, isAhead, parseChoices, printChoices } from "./choices.ts";
import { type Compared, compareComponents, compareValues } from "./compare.ts";
import { type DraftConflicts, drawConflicts, listConflicts } from "./conflicts.ts";
import { drawSummary } from "./differences.ts";
import { describeDropped } from "./dropped.ts";
import { type Content, find, h, labelled, present, redraw } from "./element.ts";
import { createPanel, describeResponse, error } from "./inspect.ts";
import type { JsonOf } from "./json-of.ts";
import { createDrawing, drawSection } from "./page-drawing.ts";
import { anchor, badge, jump } from "./parts.ts";
import { describeObject, listProposals } from "./proposals.ts";
import type { Read } from "./reads.ts";
import { drawReleases, listReleases, listShown, nameOfRelease } from "./releases.ts";
import { contentOf } from "./resolved.ts";
import { isObject, pick, printMilliseconds, printTime } from "./text.ts";

const PAGES = "svc.cda.ott.page.v1.PageService";

/** The slugs of the page that is opened first; without one, a page that takes no parameter. */
const FIRST_SLUGS = ["home", "index"];

/** The name of the connection in the storage of the tab. */
const KEPT = "marquee-preview";

const connectionForm = find<HTMLFormElement>("#connection");
const choicesForm = find<HTMLFormElement>("#choices");
const status = find("#status");
const suggestions = find("#suggestions");
const content = find("#content");

let connection: Connection | undefined = readConnection();
let choices = parseChoices(location.hash);
let pages: readonly JsonOf<Page>[] = [];
let releases: readonly JsonOf<Release>[] = [];
/** Why releases cannot be listed; empty: they can, or there is no access token. */
let releasesError = "";
/** Counts the loads, so that a response that arrives out of order is not shown. */
let loads = 0;
/** The control of which the text is being typed; null once its text is chosen. */
let typed: EventTarget | null = null;
/** True while pages and releases are being listed. The chosen page is shown afterwards. */
let isListing = false;
/** The preview time that the service has rejected; the page is then shown as of now. */
let rejectedMoment = "";

fillConnection();
connectionForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const entered = new FormData(connectionForm);
  const text = (name: string) => String(entered.get(name) ?? "").trim();
  const deliveryUrl = text("deliveryUrl").replace(/\/$/, "");
  connection = { key: text("key"), accessToken: text("accessToken"), deliveryUrl };
  [pages, releases] = [[], []];
  sessionStorage.setItem(KEPT, JSON.stringify(connection));
  void start();
});
for (const link of document.querySelectorAll<HTMLAnchorElement>("a[href^='#']")) {
  link.addEventListener("click", (event) => {
    // The fragment of the URL contains the choices.
    event.preventDefault();
    const target = find(link.hash);
    target.scrollIntoView();
    target.focus();
  });
}
choicesForm.addEventListener("submit", (event) => event.preventDefault());
addEventListener("input", ({ target }) => {
  typed = target;
});
addEventListener("change", () => {
  typed = null;
});
choicesForm.addEventListener("change", readChoices);
addEventListener("hashchange", () => {
  if (location.hash === printChoices(choices)) return;
  choices = parseChoices(location.hash);
  void start();
});
const [, code] = /^#open=(.+)/.exec(location.hash) ?? [];
if (code !== undefined) void openByLink(code);
else if (connection === undefined)
  status.textContent = "Enter a preview key to see the pages of its project.";
else void start();

/** Connects with the key that the demo gives once for the code of the link that it prints. */
async function openByLink(code: string): Promise<void> {
  history.replaceState(undefined, "", location.pathname);
  const headers = { "x-demo-code": code };
  const response = await fetch(`${HERE}/demo/credentials`, { headers, cache: "no-store" });
  if (response.ok) {
    connection = await response.json();
    sessionStorage.setItem(KEPT, JSON.stringify(connection));
    fillConnection();
  } else if (connection === undefined) {
    status.textContent =
      "The link is used or expired. Enter the preview key that the start printed.";
    return;
  }
  await start();
}

function readConnection(): Connection | undefined {
  const kept = sessionStorage.getItem(KEPT);
  return kept === null ? undefined : (JSON.parse(kept) as Connection);
}

function fillConnection(): void {
  const { key, accessToken, deliveryUrl } = connection ?? {
    key: "",
    accessToken: "",
    deliveryUrl: HERE,
  };
  for (const [name, value] of Object.entries({ key, accessToken, deliveryUrl })) {
    find<HTMLInputElement>(`#connection [name=${name}]`).value = value;
  }
}

/** Lists the pages of the key's project, as its releases have them, then shows the chosen one. */
async function start(): Promise<void> {
  if (connection === undefined) return;
  loads += 1;
  const load = loads;
  isListing = true;
  status.textContent = "Loading …";
  try {
    const listed = await listPages(connection);
    const projectId = listed[0]?.projectId ?? "";
    let listError = "";
    const known = await listReleases(connection, projectId).catch((cause: unknown) => {
      listError = cause instanceof CallError ? `${cause.reason} ${cause.message}` : String(cause);
      return [];
    });
    if (load !== loads) return;
    [pages, releases, releasesError] = [listed, known, listError];
  } catch (cause) {
    if (load !== loads) return;
    if (rejectsMoment(cause)) return start();
    // A release that does not exist can be changed.
    if (isAhead(choices)) drawChoices();
    else choicesForm.hidden = true;
    status.textContent = "";
    content.replaceChildren(error(cause));
    return;
  } finally {
    if (load === loads) isListing = false;
  }
  if (pages.length === 0) {
    choicesForm.hidden = true;
    status.textContent = "The project has no pages.";
    content.replaceChildren(
      h("h1", {}, "No pages yet"),
      h(
        "p",
        {},
        "Create the first one with the Studio API, ",
        h("code", {}, "POST /ott/pages/v1"),
        ", and open the project again.",
      ),
    );
    return;
  }
  if (!pages.some(({ slug }) => slug === choices.slug)) {
    const first =
      pages.find(({ slug = "" }) => FIRST_SLUGS.includes(slug)) ??
      pages.find(({ parameters = [] }) => parameters.length === 0) ??
      pages[0];
    choices = { ...choices, slug: first?.slug ?? "" };
  }
  drawChoices();
  await show();
}

async function listPages(to: Connection): Promise<readonly JsonOf<Page>[]> {
  const listed: JsonOf<Page>[] = [];
  let pageToken = "";
  do {
    const request = { pageSize: 100, pageToken };
    const { message } = await read(to, `${PAGES}/ListPages`, request, shown());
    listed.push(...(message.pages ?? []));
    pageToken = message.nextPageToken ?? "";
  } while (pageToken !== "");
  return listed;
}

/** Reports whether an error is about the preview time, and shows the page as of now from then on. */
function rejectsMoment(cause: unknown): boolean {
  if (!(cause instanceof CallError) || cause.reason !== "PREVIEW_TIME_INVALID") return false;
  rejectedMoment = choices.moment;
  return true;
}

/** Returns the choices without a preview time that the service has rejected. */
function shown(): Choices {
  return choices.moment === rejectedMoment ? { ...choices, moment: "" } : choices;
}

/** Changes the shown page and its URL, so that the browser's Back returns. */
function choose(changes: Partial<Choices>): void {
  const before = choices;
  choices = { ...choices, ...changes };
  history.pushState(undefined, "", printChoices(choices));
  // Releases may have other pages.
  const isOther = String(before.releases) !== String(choices.releases);
  if (isOther || before.moment !== choices.moment) void start();
  else if (!isListing) void show();
}

function open(slug: string, parameters: Record<string, string>): void {
  choose({ slug, parameters });
  drawChoices();
  find("#page").focus();
  scrollTo(0, 0);
}

function drawChoices(): void {
  const { slug, environment, language, country, session, viewer } = choices;
  const languages = [...new Set(["en", ...pages.flatMap((it) => Object.keys(it.title ?? {}))])];
  const focused = document.activeElement?.id;
  choicesForm.hidden = false;
  redraw(
    choicesForm,
    [
      select(
        "Page",
        "slug",
        pages.map((it) => [it.slug ?? "", nameOf(it)] as const),
        slug,
      ),
      document.getElementById("parameters") ?? h("div", { id: "parameters" }),
      drawReleases(releases, choices, {
        error: releasesError,
        choose: (chosen) => {
          choose({ releases: chosen });
          drawChoices();
        },
      }),
      field("Preview time", "moment", {
        value: choices.moment,
        type: "datetime-local",
        title: "Shows the page as of this time, with the releases that are scheduled until then",
      }),
      select(
        "Environment",
        "environment",
        [["", "every platform"], ...ENVIRONMENTS.map((it) => [it, it] as const)],
        environment,
      ),
      select(
        "Language",
        "language",
        languages.map((it) => [it, it] as const),
        language,
      ),
      field("Country", "country", {
        value: country,
        placeholder: "as of this machine",
        maxLength: 2,
        pattern: "[A-Za-z]{2}",
        title: "Two letters, such as DE",
      }),
      labelled(
        "Session values",
        h("textarea", {
          id: "session",
          name: "session",
          rows: 3,
          spellcheck: false,
          value: Object.keys(session).length === 0 ? "" : JSON.stringify(session, undefined, 1),
          placeholder: '{"season": "2026"}',
        }),
      ),
      h(
        "fieldset",
        {},
        h("legend", {}, "Viewer, for playback"),
        field("User id", "userId", { value: viewer.userId, placeholder: "not signed in" }),
        field("Referrer", "referrer", { value: viewer.referrer, placeholder: "none" }),
        field("Time", "time", { value: viewer.time, type: "datetime-local" }),
        h(
          "label",
          { className: "inline" },
          h("input", { id: "vpn", name: "vpn", type: "checkbox", checked: viewer.vpn }),
          " Uses a VPN",
        ),
      ),
    ],
    typed,
  );
  drawParameters();
  if (focused && document.activeElement === document.body) focusAgain(focused);
}

/** Focuses the control with an id; after a button of a release that is gone, the next one of the releases. */
function focusAgain(id: string): void {
  const others = /^(raise|remove)-/.test(id) ? [id.replace("raise-", "remove-"), "release"] : [];
  const controls = [id, ...others].map((it) => document.getElementById(it));
  controls.find((it) => it?.matches(":enabled"))?.focus();
}

/** Draws a field for each parameter of the chosen page. */
function drawParameters(): void {
  const { slug, parameters } = choices;
  const page = pages.find((it) => it.slug === slug);
  const fields = [...(page?.parameters ?? []), "q"].map((name) =>
    field(name === "q" ? "Search q" : `Parameter ${name}`, `parameter-${name}`, {
      value: parameters[name] ?? "",
      placeholder: name === "id" && page?.object ? describeObject(page.object) : "",
    }),
  );
  redraw(find("#parameters"), fields, typed);
  void propose(page);
}

/** Proposes items for the `id` of a page: in its field, and as links while it is empty. */
async function propose(page: JsonOf<Page> = {}): Promise<void> {
  suggestions.replaceChildren();
  if (connection === undefined) return;
  const proposals = await listProposals(page, readAs(connection), choices.language).catch(() => []);
  if (page.slug !== choices.slug || proposals.length === 0) return;
  const options = proposals.map(({ id, title }) => h("option", { value: id }, title));
  find("#parameters").append(h("datalist", { id: "proposals" }, ...options));
  find("#parameter-id").setAttribute("list", "proposals");
  const links = proposals.map(({ id, title }) =>
    anchor(`/${page.slug}?id=${encodeURIComponent(id)}`, { open }, title),
  );
  suggestions.replaceChildren("Open it for", ...links);
}

function readChoices(): void {
  const entered = new FormData(choicesForm);
  const text = (name: string) => String(entered.get(name) ?? "").trim();
  const area = find<HTMLTextAreaElement>("#session");
  const session = parseSession(area.value);
  area.setCustomValidity(session === undefined ? "Enter a JSON object." : "");
  if (!choicesForm.reportValidity() || session === undefined) return;
  const slug = text("slug") || choices.slug;
  const isOther = slug !== choices.slug;
  const given = [...entered.keys()].filter((it) => it.startsWith("parameter-"));
  const parameters = given.map((it) => [it.slice("parameter-".length), text(it)] as const);
  choose({
    slug,
    parameters: isOther ? {} : Object.fromEntries(parameters.filter(([, value]) => value !== "")),
    environment: text("environment"),
    language: text("language"),
    country: text("country").toUpperCase(),
    session,
    ...(entered.has("releases") && {
      releases: text("releases")
        .split(/[\s,]+/)
        .filter(Boolean),
    }),
    moment: text("moment"),
    viewer: {
      userId: text("userId"),
      referrer: text("referrer"),
      time: text("time"),
      vpn: entered.has("vpn"),
    },
  });
  if (isOther) drawParameters();
}

function parseSession(text: string): JsonObject | undefined {
  try {
    const session: unknown = JSON.parse(text.trim() || "{}");
    return isObject(session) ? session : undefined;
  } catch {
    return undefined;
  }
}

/** Gets the chosen page and draws it. Open panels stay open, and the focus stays. */
async function show(): Promise<void> {
  if (connection === undefined) return;
  loads += 1;
  const load = loads;
  content.setAttribute("aria-busy", "true");
  suggestions.hidden = choices.parameters.id !== undefined;
  try {
    const [response, current, conflicts] = await Promise.all([
      getPage(connection, shown()),
      isAhead(shown()) ? getCurrentPage(connection) : undefined,
      releases.length === 0 ? [] : listConflicts(connection, listShown(releases, shown())),
    ]);
    await endOfTyping();
    if (load !== loads) return;
    const focused = document.activeElement?.id;
    const opened = [...content.querySelectorAll("details[open]")].map(({ id }) => id);
    draw(response, { connection, current, conflicts });
    for (const id of opened.filter(Boolean)) {
      const panel = document.getElementById(id);
      if (panel instanceof HTMLDetailsElement) panel.open = true;
    }
    if (focused && document.activeElement === document.body) {
      document.getElementById(focused)?.focus();
    }
  } catch (cause) {
    if (load !== loads) return;
    if (rejectsMoment(cause)) return show();
    status.textContent = "";
    content.replaceChildren(error(cause));
  }
  content.removeAttribute("aria-busy");
}

/** Waits until no text is being typed in the page: a choice of it loads the page again. */
function endOfTyping(): Promise<unknown> {
  const field = document.activeElement;
  if (field === null || field !== typed || !content.contains(field)) return Promise.resolve();
  return new Promise((resolve) => field.addEventListener("blur", resolve, { once: true }));
}

function getPage(to: Connection, as: Choices): Promise<CallResponse<GetPageResponse>> {
  const { slug, parameters, environment, session } = as;
  const request = { slug, parameters, environment, session, includeItems: true };
  return read(to, `${PAGES}/GetPage`, request, as);
}

/** Gets the current version of the chosen page; empty if there is none. */
async function getCurrentPage(to: Connection): Promise<JsonOf<GetPageResponse>> {
  try {
    return (await getPage(to, { ...choices, releases: [], moment: "" })).message;
  } catch (cause) {
    if (cause instanceof CallError && cause.reason === "RESOURCE_NOT_FOUND") return {};
    throw cause;
  }
}

/** The context of a drawn page. */
interface Surroundings {
  readonly connection: Connection;
  /** The current page; absent if it is the one that is drawn. */
  readonly current: JsonOf<GetPageResponse> | undefined;
  readonly conflicts: readonly DraftConflicts[];
}

function draw(
  response: CallResponse<GetPageResponse>,
  { connection: to, current, conflicts }: Surroundings,
): void {
  const { page = {}, components = [], dropped = [], object } = response.message;
  const { language } = choices;
  const title = nameOf(page);
  document.title = `${title} – Marquee preview`;
  const counts = [
    components.length === 1 ? "1 component" : `${components.length} components`,
    ...(dropped.length > 0 ? [`${dropped.length} dropped`] : []),
    printMilliseconds(response.milliseconds),
  ];
  status.textContent = `${title}: ${counts.join(", ")}`;
  const about = object && pick(contentOf(object).title, language);
  const { session, parameters, moment } = shown();
  const drawing = createDrawing(page, readAs(to), {
    ...{ language, session, parameters, moment, pages, open },
    setSession(key, value) {
      const { [key]: _, ...others } = session;
      choose({ session: value === undefined ? others : { ...others, [key]: value } });
      drawChoices();
    },
  });
  const inspected = {
    ...{ connection: to, choices: shown() },
    ...{ pageId: page.id ?? "", projectId: page.projectId ?? "" },
  };
  const same = { changes: [], differences: [] };
  const compared: readonly Compared[] =
    current === undefined
      ? components.map((resolved) => ({ resolved, ...same }))
      : compareComponents(current.components ?? [], components);
  const pageDifferences = current?.page === undefined ? [] : compareValues(current.page, page);
  const inConflict = new Set(conflicts.map(({ key }) => key));
  content.replaceChildren(
    h("h1", {}, about ? `${title}: ${about}` : title, badge(page.visibility)),
    ...present([
      drawRejected(),
      current && drawSummary(describeShown(), compared, pageDifferences, language),
      drawConflicts(conflicts, language, (id) => nameOfRelease(releases, id)),
    ]),
    h(
      "details",
      { id: "inspect-page", className: "panel" },
      h("summary", { "aria-label": "Inspect the page" }, "Inspect the page"),
      h("div", { className: "inspect" }, describeResponse(response)),
    ),
    h("div", {}, describeDropped(dropped)),
    ...compared.map((it) => {
      const { id = "" } = it.resolved.component ?? {};
      const isInConflict = inConflict.has(`page_component:${id}`);
      const section = drawSection(it, drawing, {
        header: isInConflict ? jump("conflicts", "change conflict", "in conflict") : undefined,
        panel: it.changes.includes("removed") ? undefined : createPanel(it.resolved, inspected),
      });
      section.id = id;
      if (current) section.tabIndex = -1;
      return section;
    }),
  );
}

/** Draws a sentence about a preview time that the service has rejected; nothing if there is none. */
function drawRejected(): Content {
  const { moment, language } = choices;
  if (moment === "" || moment !== rejectedMoment) return undefined;
  const time = new Date(moment);
  const problem = time < new Date() ? "past" : "more than five years ahead";
  return h(
    "p",
    { className: "error", role: "alert" },
    h("b", {}, `${printTime(time.toISOString(), language)} is ${problem}.`),
    " This is the page as of now.",
  );
}

/** Describes the releases and the moment that are shown. */
function describeShown(): string {
  const names = listShown(releases, shown()).map((id) => nameOfRelease(releases, id));
  const { moment, language } = shown();
  const time = moment === "" ? "" : printTime(new Date(moment).toISOString(), language);
  return [names.join(" and "), time].filter(Boolean).join(" at ");
}

/** Returns the reads of a connection as the viewer of the choices. */
function readAs(to: Connection): Read {
  const as = shown();
  return (procedure, request) => read(to, procedure, request, as);
}

function nameOf({ title, slug = "" }: JsonOf<Page>): string {
  return pick(title, choices.language) || slug;
}

function field(label: string, name: string, properties: Record<string, unknown>): HTMLElement {
  const common = { id: name, name, autocomplete: "off", spellcheck: false };
  return labelled(label, h("input", { ...common, ...properties }));
}

function select(
  label: string,
  name: string,
  options: readonly (readonly [string, string])[],
  chosen: string,
): HTMLElement {
  const entries = options.map(([value, text]) =>
    h("option", { value, selected: value === chosen }, text),
  );
  return labelled(label, h("select", { id: name, name }, ...entries));
}
