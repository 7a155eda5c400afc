import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  ConflictPolicy,
  ReleaseSchema,
  ReleaseState,
} from "../../../gen/svc/type/v1/release_pb.ts";
import { type HttpResponse, metadataOf, reasonOf } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { callRest } from "../studio.ts";

/** The organization and the project of the demo. */
export const DEMO = { organizationId: "org-worldcup", projectId: "worldcup" } as const;

const PUBLISHED = { project_id: DEMO.projectId, visibility: "VISIBILITY_PUBLISHED" };

/** Returns the parameter that names a release; none for the current version. */
export function inRelease(id: string): Record<string, string> {
  return id === "" ? {} : { release_id: id };
}

/** The calls of a test of releases, as the owner. */
export class ReleaseCalls {
  readonly marquee: Marquee;

  constructor(marquee: Marquee) {
    this.marquee = marquee;
  }

  /** Calls a path of the Studio API. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpResponse> {
    return callRest(this.marquee, method, path, body, headers);
  }

  /** Calls a path that must succeed; returns its JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every form.
  async call(method: string, path: string, body?: unknown): Promise<any> {
    const { status, json } = await this.send(method, path, body);
    if (status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(json)}`);
    return json;
  }

  /** Creates an account with a role in the project; returns a token of it. */
  async createToken(id: string, roleId: string): Promise<string> {
    const { organizationId: organization_id, projectId } = DEMO;
    await this.call("POST", `iam/accounts/v1?account_id=${id}`, { organization_id, name: id });
    await this.call("POST", `iam/bindings/v1?binding_id=${id}`, {
      ...{ organization_id, account_id: id, role_id: roleId },
      resource_key: `${projectId}/${projectId}/project`,
    });
    const token = { account_id: id, name: id };
    return (await this.call("POST", `iam/access_tokens/v1?access_token_id=${id}`, token)).token;
  }

  /** Stores a release, an open one unless its fields say otherwise. */
  async createRelease(
    id: string,
    fields: MessageInitShape<typeof ReleaseSchema> = {},
  ): Promise<string> {
    await this.marquee.store.in(DEMO.organizationId).documents.release.create(
      create(ReleaseSchema, {
        ...{ id, projectId: DEMO.projectId, name: id, state: ReleaseState.OPEN },
        ...{ conflictPolicy: ConflictPolicy.REJECT, ...fields },
      }),
    );
    return id;
  }

  async getRelease(id: string) {
    return (await this.call("GET", `cms/releases/v1/${id}`)).release;
  }

  /** Applies a release. */
  apply(id: string, headers = {}): Promise<HttpResponse> {
    return this.send("POST", `cms/releases/v1/${id}:apply`, {}, headers);
  }

  /** Applies a release, which must succeed; returns it. */
  async applied(id: string) {
    return (await this.call("POST", `cms/releases/v1/${id}:apply`, {})).release;
  }

  /** Lists the problems that a check finds, as `<item> <reason>`. */
  async listProblems(id: string): Promise<string[]> {
    const { problems = [] } = await this.call("POST", `cms/releases/v1/${id}:check`, {});
    return problems.map((it: Record<string, string>) => `${it.item_key} ${it.reason}`);
  }

  /** Lists the changes of a resource, the newest first. */
  async listChanges(key: string) {
    const query = new URLSearchParams({
      project_id: DEMO.projectId,
      filter: `resource: "${key}"`,
    });
    return (await this.call("GET", `cms/changes/v1?${query}`)).changes;
  }

  /** Takes the newest change of a resource back; returns the keys of what it writes. */
  async undo(key: string): Promise<string[]> {
    const [{ id }] = await this.listChanges(key);
    return (await this.call("POST", `cms/changes/v1/${id}:revert`, {})).resources;
  }

  /** Lists the drafts of a release. */
  itemsOf(releaseId: string) {
    return this.marquee.store.releaseItems.list({ ...DEMO, releaseId });
  }

  /** Lists the keys of the drafts of a release, with `-` for a deletion and `+` for a creation. */
  async keysOf(releaseId: string): Promise<string[]> {
    return (await this.itemsOf(releaseId)).map(({ kind, id, base, draft }) => {
      const verb = draft === undefined ? "-" : base === undefined ? "+" : "";
      return `${verb}${kind}:${id}`;
    });
  }

  /** Creates an event, current or in a release. */
  createEvent(id: string, fields: object = {}, releaseId = "") {
    const query = new URLSearchParams({ event_id: id, ...inRelease(releaseId) });
    const event = { project_id: DEMO.projectId, content_type: "match", ...fields };
    return this.call("POST", `cms/events/v1?${query}`, event);
  }

  /** Writes fields of a resource, current or in a release; `name` is their field of the request. */
  patch(path: string, name: string, fields: object, releaseId = "") {
    const update_mask = Object.keys(fields).join();
    return this.call("PATCH", path, { [name]: fields, update_mask, ...inRelease(releaseId) });
  }

  /** Writes fields of an event, current or in a release. */
  patchEvent(id: string, event: object, releaseId = "") {
    return this.patch(`cms/events/v1/${id}`, "event", event, releaseId);
  }

  /** Creates a page, current or in a release. */
  createPage(id: string, { slug = id, releaseId = "" } = {}) {
    const query = new URLSearchParams({ page_id: id, ...inRelease(releaseId) });
    return this.call("POST", `ott/pages/v1?${query}`, { ...PUBLISHED, slug });
  }

  /** Creates the component `<page>-<name>` of a page, current or in a release: a text unless given. */
  createComponent(
    page: string,
    name: string,
    component: object = { type: "text", text: { body: name } },
    { releaseId = "", position }: { releaseId?: string; position?: number | undefined } = {},
  ) {
    const query = new URLSearchParams({
      ...{ page_component_id: `${page}-${name}`, page_id: page, ...inRelease(releaseId) },
      ...(position !== undefined && { position: String(position) }),
    });
    return this.call("POST", `ott/page_components/v2?${query}`, { ...PUBLISHED, ...component });
  }

  /** Puts the components of a page into an order: `ba` are `<page>-b` and `<page>-a`. */
  reorder(page: string, names: string, releaseId = "") {
    return this.send("POST", `ott/pages/v1/${page}:reorderComponents`, {
      page_component_ids: Array.from(names, (name) => `${page}-${name}`),
      ...inRelease(releaseId),
    });
  }

  /** Returns the names of the components of a page, each a letter, in order. */
  async orderOf(page: string): Promise<string> {
    const { page_components } = await this.call("GET", `ott/page_components/v2?page_id=${page}`);
    return page_components.map(({ id }: { id: string }) => id.slice(page.length + 1)).join("");
  }

  /** Lists the problems of a release by many passes: after each error again, without the draft that caused it. */
  async problemsInPasses(id: string): Promise<string[]> {
    const problems: string[] = [];
    for (;;) {
      const got = await this.send("POST", `cms/releases/v1/${id}:apply`, { validate_only: true });
      if (got.status === 200) return problems;
      const item = metadataOf(got)?.item ?? "";
      problems.push(`${item} ${reasonOf(got)}`);
      if (item === "") return problems;
      await this.call("DELETE", `cms/releases/v1/${id}/items/${item}`);
    }
  }

  /** Returns an event, current or as a release shows it. */
  async getEvent(id: string, releaseId = "") {
    const query = new URLSearchParams(inRelease(releaseId));
    return (await this.call("GET", `cms/events/v1/${id}?${query}`)).event;
  }
}
