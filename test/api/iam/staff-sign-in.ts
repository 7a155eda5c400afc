import { FakeProvider, type Person, type Shape } from "../../auth/staff-provider.ts";
import type { HttpResponse } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { ok, useIam } from "./iam.ts";

/** The organization of the demo. */
export const ORGANIZATION = "org-worldcup";

/** A browser: it keeps cookies, follows no redirect, and says where its requests come from. */
export class Browser {
  readonly cookies: Map<string, string>;
  readonly #url: string;

  constructor({ url }: Pick<Marquee, "url">, cookies = new Map<string, string>()) {
    this.#url = url;
    this.cookies = cookies;
  }

  /** Sends a request of a page of the same origin, unless headers say otherwise. */
  async send(
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
  ): Promise<Response> {
    const cookie = [...this.cookies].map((it) => it.join("=")).join("; ");
    const response = await fetch(`${this.#url}${path}`, {
      ...{ method, redirect: "manual" },
      headers: {
        "sec-fetch-site": "same-origin",
        ...(cookie !== "" && { cookie }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  /** Begins a sign-in. Returns the response, which sends the browser to the provider. */
  begin(organization = ORGANIZATION, wayBack = "/studio"): Promise<Response> {
    const query = new URLSearchParams({ organization, return: wayBack });
    const headers = { "sec-fetch-site": "none" };
    return this.send("GET", `/studio/sign-in?${query}`, { headers });
  }

  /** Opens the URL that the provider sends it back to. */
  comeBack({ pathname, search }: URL): Promise<Response> {
    return this.send("GET", `${pathname}${search}`, {
      headers: { "sec-fetch-site": "cross-site" },
    });
  }

  /** Signs a person in. Returns the last response. */
  async signIn(provider: FakeProvider, person: Person, wayBack?: string): Promise<Response> {
    const begun = await this.begin(ORGANIZATION, wayBack);
    const location = begun.headers.get("location");
    if (location === null) return begun;
    return this.comeBack(provider.signIn(location, person));
  }
}

/** Returns the status and the reason of a page. */
export async function reasonOfPage(response: Response): Promise<[number, string | undefined]> {
  const [, reason] = /<code>(\w+)<\/code>/.exec(await response.text()) ?? [];
  return [response.status, reason];
}

/** Starts a service and a provider that its organization signs in with. */
export async function useStaffSignIn(
  options: Parameters<typeof useIam>[0] = {},
  shape: Shape = "Keycloak",
) {
  const provider = await new FakeProvider(shape).start();
  const iam = await useIam({ studio: true, actionsAllowPrivate: true, ...options });
  const set = (fields: object, token?: string): Promise<HttpResponse> =>
    iam.call(`PATCH /iam/staff_sign_in/v1/${ORGANIZATION}`, {
      body: { staff_sign_in: fields, update_mask: Object.keys(fields).join() },
      ...(token !== undefined && { token }),
    });
  ok(await set({ issuer: provider.issuer, client_id: "studio" }));
  /** Invites a person as a viewer of the organization. */
  const invite = async (email: string): Promise<string> => {
    const body = { organization_id: ORGANIZATION, name: email, email };
    const { id } = ok(await iam.call("POST /iam/accounts/v1", { body })).account;
    await iam.make.binding(id, "viewer");
    return id;
  };
  return { ...iam, provider, set, invite };
}
