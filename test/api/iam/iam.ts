import { expect } from "vitest";
import { type HttpResponse, metadataOf, send } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

/** What a call of the Studio API carries beside its address. */
export interface IamCall {
  /** Default: the owner's. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Query parameters. */
  readonly query?: Readonly<Record<string, string | number | boolean>>;
}

/** Calls over REST: `POST /iam/roles/v1`. */
export type CallIam = (line: string, call?: IamCall) => Promise<HttpResponse>;

/** Makes the calls of a service. */
export function callIam({ url, tokens }: Pick<Marquee, "tokens" | "url">): CallIam {
  return (line, { token = tokens.owner, headers = {}, body, query = {} } = {}) => {
    const [method = "", path = ""] = line.split(" ");
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    return send(method, `${url}${path}${search && `?${search}`}`, {
      token,
      headers,
      ...(body !== undefined && { body }),
    });
  };
}

/** Returns a response's body; fails unless it is 200. */
export function ok(got: HttpResponse) {
  expect(got.status, got.text).toBe(200);
  return got.json;
}

/** Gets the metadata of a rejection. */
export function metadata(got: HttpResponse): Readonly<Record<string, string>> {
  return metadataOf(got) ?? {};
}

/** Makes things that a test needs, and returns their ids. */
export function iamMaker(call: CallIam) {
  let turn = 0;
  return {
    /** Makes an account; its organization is the demo's unless said. */
    async account(organization_id = "org-worldcup", token?: string): Promise<string> {
      turn += 1;
      const body = { organization_id, name: `Made ${turn}` };
      return ok(await call("POST /iam/accounts/v1", { body, ...(token && { token }) })).account.id;
    },
    /** Gives an account a role on a resource. */
    async binding(
      account_id: string,
      role_id: string,
      resource_key = "org-worldcup/organization",
      organization_id = "org-worldcup",
    ): Promise<string> {
      const body = { organization_id, account_id, role_id, resource_key };
      return ok(await call("POST /iam/bindings/v1", { body })).binding.id;
    },
    /** Makes an access token of an account. */
    async token(account_id: string): Promise<string> {
      return ok(await call("POST /iam/access_tokens/v1", { body: { account_id } })).token;
    },
    /** Makes a role. */
    async role(permissions: readonly string[]): Promise<string> {
      turn += 1;
      const body = { organization_id: "org-worldcup", name: `Role ${turn}`, permissions };
      return ok(await call("POST /iam/roles/v1", { body })).role.id;
    },
    /** Makes an account with a role of just these permissions, and a token of it. */
    async caller(permissions: readonly string[], resource_key?: string) {
      const id = await this.account();
      await this.binding(id, await this.role(permissions), resource_key);
      return { id, token: await this.token(id) };
    },
    /** Makes an organization. */
    async organization(organization_id: string): Promise<string> {
      const body = { name: organization_id };
      return ok(await call("POST /iam/organizations/v1", { body, query: { organization_id } }))
        .organization.id;
    },
    /** Makes a project; its organization is the demo's unless said. */
    async project(id: string, organization_id = "org-worldcup"): Promise<string> {
      const body = { organization_id, name: id };
      return ok(await call("POST /iam/projects/v1", { body, query: { project_id: id } })).project
        .id;
    },
  };
}

/** Starts a service for the tests of a file, with its calls and the maker of what they need. */
export async function useIam(options?: Parameters<typeof useMarquee>[0]) {
  const marquee = await useMarquee(options);
  const call = callIam(marquee);
  return { marquee, call, make: iamMaker(call) };
}
