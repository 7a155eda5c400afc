import { create } from "@bufbuild/protobuf";
import { ProjectQuotasSchema } from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { issueAccessToken } from "../../../src/auth/issue.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { RecordKind } from "../../../src/domain/records/record.ts";
import type { DocumentStore } from "../../../src/storage/contract/document-store.ts";
import type { OrganizationStore, Store } from "../../../src/storage/contract/store.ts";
import { type HttpResponse, send } from "../../harness/http.ts";
import { revisionOf } from "../../harness/revision.ts";
import { exportText, importText, toText } from "../../transfer/transfer.ts";

/** The most items of a project. */
const ITEM_QUOTA = 30n;

/** What content is listed by: a filter, and words. */
const LISTS: readonly (readonly [filter: string, ...words: string[]])[] = [
  ["id: *"],
  ["id: *", "goal"],
  ["fields.rank >= 2"],
  ["fields.code: (a OR b)", "match"],
  ["NOT fields.rank: 1"],
  ['entity_ids: "entity-a"'],
  ['video_ids: ("video-a" OR "video-b")'],
];

/** A line of an export. */
export type Line = Readonly<Record<string, object>>;

/** The name of a resource. */
export interface Name {
  readonly kind: RecordKind;
  readonly id: string;
}

/** An organization with one project, which is written in one way only. */
export class World {
  readonly projectId: string;
  readonly organization: OrganizationStore;
  readonly #store: Store;
  readonly #url: string;
  readonly #token: string;
  /** The revisions of resources at the last check, with their lines. */
  #checked: ReadonlyMap<string, readonly [revision: number, line: string]> = new Map();

  private constructor(number: number, store: Store, url: string, token: string) {
    this.projectId = `project-${number}`;
    this.organization = store.in(`organization-${number}`);
    this.#store = store;
    this.#url = url;
    this.#token = token;
  }

  /** Creates an empty one. Numbers have one digit, so that the resources of all worlds have the same size. */
  static async create(number: number, store: Store, url: string, now: Date): Promise<World> {
    const organization_id = `organization-${number}`;
    const project = { id: `project-${number}`, organization_id, name: "P" };
    const binding = { id: "owns", organization_id, account_id: "owner", role_id: "owner" };
    const lines = [
      { organization: { id: organization_id, name: "O" } },
      { project },
      { account: { id: "owner", organization_id, name: "Owner" } },
      { binding: { ...binding, resource_key: `${organization_id}/organization` } },
    ];
    await importText(store, toText(lines));
    await store.in(organization_id).documents.project.update(project.id, ({ value }) => ({
      ...value,
      quotas: create(ProjectQuotasSchema, { items: ITEM_QUOTA }),
    }));
    const token = { id: "token", accountId: "owner", name: "test" };
    const { secret } = await issueAccessToken(store.in(organization_id).documents, token, now);
    return new World(number, store, url, secret);
  }

  /** Calls a path of the Studio API as the owner of the organization. */
  call(method: string, path: string, body?: object): Promise<HttpResponse> {
    const more = { token: this.#token, ...(body !== undefined && { body }) };
    return send(method, `${this.#url}/${path}`, more);
  }

  /** Reports whether a resource exists. */
  async has({ kind, id }: Name): Promise<boolean> {
    return (await this.#storeOf(kind).getMany([id])).length > 0;
  }

  /** Returns the ids of the resources that exist, in the order given. */
  async listExisting(kind: RecordKind, ids: readonly string[]): Promise<readonly string[]> {
    const stored = await this.#storeOf(kind).getMany(ids);
    return ids.filter((id) => stored.some(({ value }) => value.id === id));
  }

  /** Exports the project; the lines name no world. */
  async export(): Promise<readonly Line[]> {
    const text = await exportText(this.#store, this.projectId);
    const lines = text
      .replaceAll(/(organization|project)-\d/g, "$1")
      .trimEnd()
      .split("\n");
    return lines.map((line) => JSON.parse(line));
  }

  /** Imports lines of an export as a file. */
  async import(lines: readonly Line[]): Promise<void> {
    const project = `"project_id":"${this.projectId}"`;
    const text = toText(lines).replaceAll(/"project_id":"project"/g, project);
    await importText(this.#store, text, { projectId: this.projectId });
  }

  /** Lists the ids of a page's components, in order; none without the page. */
  async placesOf(pageId: string): Promise<readonly string[]> {
    return (await this.organization.pageComponents.listPlaces(pageId)).map(({ id }) => id);
  }

  /** Returns what all ways of writing must agree on. */
  async state() {
    const { documents, organizationId, pageComponents } = this.organization;
    const lines = await this.export();
    const names = lines.slice(2).map(nameOf);
    const { value: project } = await documents.project.get(this.projectId);
    const { value: owner } = await documents.organization.get(organizationId);
    const ids = (of: RecordKind) => names.filter(({ kind }) => kind === of).map(({ id }) => id);
    const of = { organizationId, projectId: this.projectId };
    return {
      lines,
      usage: [project.usage, owner.usage],
      referrers: await Promise.all(
        names.map(async ({ kind, id }) => [
          `${kind}:${id}`,
          (await this.#store.referrers.list({ ...of, kind, id }, 100))
            .map((it) => `${it.kind}:${it.id}`)
            .sort(),
        ]),
      ),
      places: await Promise.all(ids("page").map((id) => this.placesOf(id))),
      positions: await Promise.all(ids("page_component").map((id) => pageComponents.locate(id))),
      lists: await this.#list(),
    };
  }

  /** Lists how revisions have moved as they must not: back, or not although the resource has changed. */
  async listRevisionErrors(): Promise<readonly string[]> {
    const errors: string[] = [];
    const now = new Map<string, readonly [number, string]>();
    const newest = await revisionOf(this.#store, this.projectId);
    for (const line of (await this.export()).slice(2)) {
      const { kind, id } = nameOf(line);
      const [stored] = await this.#storeOf(kind).getMany([id]);
      const [key, revision, text] = [`${kind}:${id}`, stored?.revision ?? -1, JSON.stringify(line)];
      now.set(key, [revision, text]);
      const [before = 0, old] = this.#checked.get(key) ?? [];
      if (revision < before || revision > newest || (revision === before && text !== old)) {
        errors.push(`${key}: ${before} -> ${revision} of ${newest}`);
      }
    }
    const [before = 0] = this.#checked.get("project") ?? [];
    if (newest < before) errors.push(`project: ${before} -> ${newest}`);
    this.#checked = now.set("project", [newest, ""]);
    return errors;
  }

  #storeOf(kind: RecordKind): Pick<DocumentStore<{ readonly id: string }>, "getMany"> {
    const { documents, pageComponents } = this.organization;
    return kind === "page_component" ? pageComponents : documents[kind as "event"];
  }

  #list() {
    const scope = {
      projectId: this.projectId,
      at: undefined,
      visibilities: [Visibility.PUBLISHED],
      limit: 99,
    };
    const stores = [this.#store.entities, this.#store.creativeWorks, this.#store.events];
    return Promise.all(
      stores.flatMap((content) =>
        LISTS.map(async ([filter, ...words], index) => {
          const direction = index % 2 === 0 ? "asc" : "desc";
          const { entries } = await content.list({
            ...{ ...scope, filter: parseKql(filter), words, now: new Date(0) },
            order: { field: index % 3 === 0 ? "id" : "update_time", direction },
          });
          return entries.map(({ item }) => item.id);
        }),
      ),
    );
  }
}

/** Returns the name of the resource of a line. */
export function nameOf(line: Line): Name {
  const [[kind, resource] = ["", {}]] = Object.entries(line);
  const { id } = kind === "page_component" ? Object(resource).page_component : Object(resource);
  return { kind: kind as RecordKind, id };
}
