import { HERE } from "../here.ts";

/** The resources that examples name. */
export interface ExampleIds {
  readonly project: string;
  readonly organization: string;
}

/** The credentials of the user, and the resources that examples name with them. */
export interface Credentials extends ExampleIds {
  /** For the Studio API; empty: none. */
  readonly accessToken: string;
  /** For the Delivery API; empty: none. */
  readonly projectKey: string;
}

/** The ids in the examples of the document. */
const DEMO: ExampleIds = { project: "worldcup", organization: "org-worldcup" };

/** The name of the credentials in the storage of the tab. */
const KEPT = "marquee-reference";

/** Reads the credentials that this tab keeps. */
export function readCredentials(): Credentials {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}") as Partial<Credentials>;
  return { ...DEMO, accessToken: "", projectKey: "", ...kept };
}

/** Keeps credentials until the tab is closed. */
export function keepCredentials(credentials: Credentials): void {
  sessionStorage.setItem(KEPT, JSON.stringify(credentials));
}

/** The organization of a credential and its projects, as far as the credential may list them. */
export interface Owner {
  readonly organization?: string;
  readonly projects: readonly string[];
}

/** Finds the projects of the access token. Rejects with the message of the server for an invalid token. */
export async function findOwner(accessToken: string): Promise<Owner> {
  const { organizations } = await read("/iam/organizations/v1", accessToken);
  const [organization] = organizations as { readonly id: string }[];
  if (organization === undefined) return { projects: [] };
  const path = `/iam/projects/v1?organization_id=${encodeURIComponent(organization.id)}`;
  // An account of a single project may not list the projects of its organization.
  const { projects } = await read(path, accessToken).catch(() => ({ projects: [] }));
  const ids = (projects as { readonly id: string }[]).map(({ id }) => id);
  return { organization: organization.id, projects: ids };
}

/** Finds the project of a project key by its first page. Rejects with the message of the server for an invalid key. */
export async function findProject(projectKey: string): Promise<Owner> {
  const message = encodeURIComponent('{"pageSize": 1}');
  const path = `/svc.cda.ott.page.v1.PageService/ListPages?encoding=json&message=${message}`;
  const { pages = [] } = await read(path, projectKey);
  return { projects: (pages as { readonly projectId: string }[]).map((it) => it.projectId) };
}

async function read(path: string, credential: string): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${credential}` };
  const response = await fetch(HERE + path, { headers, cache: "no-store" });
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);
  return body;
}

/** Replaces the ids of the demo in an example, also within keys such as `worldcup/worldcup/project`. */
export function fillExample(example: unknown, ids: ExampleIds): unknown {
  if (Array.isArray(example)) return example.map((it) => fillExample(it, ids));
  if (typeof example === "object" && example !== null) {
    const members = Object.entries(example);
    return Object.fromEntries(members.map(([name, it]) => [name, fillExample(it, ids)]));
  }
  if (typeof example !== "string") return example;
  const segments = example.split("/").map((it) => {
    if (it === DEMO.project) return ids.project;
    return it === DEMO.organization ? ids.organization : it;
  });
  return segments.join("/");
}
