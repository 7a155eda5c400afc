import { HERE } from "../here.ts";
import { type Document, groupByTag, methodOf, type Operation, type Tag } from "../openapi.ts";
import {
  type Credentials,
  findOwner,
  findProject,
  keepCredentials,
  type Owner,
  readCredentials,
} from "./credentials.ts";
import { find, h } from "./element.ts";
import { drawOperation } from "./operation.ts";
import { drawProse } from "./prose.ts";

/** The operations that a newcomer sends first. */
const FIRST = [
  "studio.ListProjects",
  "studio.CreateEvent",
  "delivery.ListPages",
  "delivery.ListEvents",
];

const form = find<HTMLFormElement>("#credentials");
const owner = find("#owner");
const filter = find<HTMLInputElement>("#filter");
const methods = find("#methods");
const outline = find<HTMLDetailsElement>("#outline");

let credentials = readCredentials();

outline.open = isWide();
outline.addEventListener("click", ({ target }) => {
  if (target instanceof HTMLAnchorElement) outline.open = isWide();
});
fillForm(credentials);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("change", ({ target }) => void changeCredentials(target as HTMLInputElement));
filter.addEventListener("input", showMatches);
addEventListener("hashchange", openTarget);
load().catch((cause: unknown) => methods.replaceChildren(`openapi.json cannot be read: ${cause}`));

/** Reports whether the contents have a column of their own, as in the style sheet. */
function isWide(): boolean {
  return matchMedia("(min-width: 48rem)").matches;
}

async function load(): Promise<void> {
  const response = await fetch(`${HERE}/openapi.json`);
  const document = (await response.json()) as Document;
  find("#about").replaceChildren(drawProse(document.info.description));
  const operations = groupByTag(document);
  const tags = new Map(document.tags.map((tag) => [tag.name, tag]));
  for (const group of document["x-tagGroups"]) {
    const listed = group.tags.flatMap((name) => tags.get(name) ?? []);
    const links = listed.map((it) =>
      h("li", {}, h("a", { href: `#${it.name}` }, it["x-displayName"])),
    );
    find("#contents").append(h("h2", {}, group.name), h("ul", {}, ...links));
    methods.append(
      h("h2", {}, group.name),
      ...listed.map((tag) => drawTag(tag, operations.get(tag.name) ?? [], document)),
    );
  }
  const all = [...operations.values()].flat();
  const first = FIRST.flatMap((id) => all.find(({ operationId }) => operationId === id) ?? []);
  find("#first").replaceChildren(
    ...first.map((it) => h("a", { href: `#${it.operationId}` }, methodOf(it))),
  );
  methods.removeAttribute("aria-busy");
  openTarget();
}

function drawTag(tag: Tag, operations: readonly Operation[], document: Document): HTMLElement {
  return h(
    "section",
    { id: tag.name, "aria-label": tag["x-displayName"] },
    h("h3", {}, tag["x-displayName"]),
    drawProse(tag.description),
    ...operations.map((it) => drawOperation(it, document, () => credentials)),
  );
}

/** Opens the operation that the URL names, or scrolls to its section. */
function openTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
  target?.scrollIntoView();
}

/** Shows the operations whose line has every word of the filter, and the sections that have some. */
function showMatches(): void {
  const words = filter.value.toLowerCase().split(/\s+/);
  for (const section of methods.querySelectorAll("section")) {
    const heading = section.getAttribute("aria-label") ?? "";
    for (const operation of section.querySelectorAll<HTMLElement>(".operation")) {
      const text = `${heading} ${operation.querySelector("summary")?.textContent}`.toLowerCase();
      operation.hidden = !words.every((it) => text.includes(it));
    }
    section.hidden = section.querySelector(".operation:not([hidden])") === null;
  }
}

/** Shows values in the inputs of their names; the user may be typing in the others. */
function fillForm(values: Partial<Credentials>): void {
  for (const [name, value] of Object.entries(values)) {
    const input = form.elements.namedItem(name);
    if (input instanceof HTMLInputElement) input.value = value;
  }
}

/** Takes a credential or the project that the user entered; a credential also decides the project of the examples. */
async function changeCredentials({ name, value }: HTMLInputElement): Promise<void> {
  const entered = value.trim();
  change({ [name]: entered });
  if (name === "project" || entered === "") return;
  owner.textContent = "…";
  try {
    const found = await (name === "accessToken" ? findOwner(entered) : findProject(entered));
    change(toIds(found));
    owner.textContent =
      found.projects.length === 0
        ? "No project is known: create one, or enter its id."
        : `Examples use the project ${credentials.project}.`;
  } catch (cause) {
    owner.textContent = (cause as Error).message;
  }
}

/** Changes the credentials, and the examples of open operations with them. */
function change(changes: Partial<Credentials>): void {
  credentials = { ...credentials, ...changes };
  keepCredentials(credentials);
  fillForm(changes);
  for (const operation of methods.querySelectorAll<HTMLDetailsElement>(".operation[open]")) {
    operation.dispatchEvent(new Event("toggle"));
  }
}

/** Returns the ids for examples: the organization of a credential, and its first project unless the current one is among them. */
function toIds({ organization, projects }: Owner): Partial<Credentials> {
  find("#projects").replaceChildren(...projects.map((value) => h("option", { value })));
  const { project: current } = credentials;
  const project = projects.includes(current) ? current : projects[0];
  return { ...(organization && { organization }), ...(project && { project }) };
}
