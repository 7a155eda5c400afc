import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
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

  /** Stores a release in a state, the open one unless given. */
  async createRelease(
    id: string,
    { state = ReleaseState.OPEN, applyTime }: { state?: ReleaseState; applyTime?: Date } = {},
  ): Promise<string> {
    await this.marquee.store.in(DEMO.organizationId).documents.release.create(
      create(ReleaseSchema, {
        ...{ id, projectId: DEMO.projectId, name: id, state },
        conflictPolicy: ConflictPolicy.REJECT,
        ...(applyTime && { applyTime: timestampFromDate(applyTime) }),
      }),
    );
    return id;
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

  /** Writes fields of an event, current or in a release. */
  patchEvent(id: string, event: object, releaseId = "") {
    const update_mask = Object.keys(event).join();
    return this.call("PATCH", `cms/events/v1/${id}`, { event, update_mask, release_id: releaseId });
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
