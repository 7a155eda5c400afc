import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** The shapes of identity providers. */
export const SHAPES = ["Keycloak", "Entra", "Google"] as const;

/** A shape of an identity provider. */
export type Shape = (typeof SHAPES)[number];

/** A person at the provider. */
export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: unknown;
}

/** A code that the provider has given, and for whom. */
interface Grant {
  readonly person: Person;
  readonly nonce: string;
  readonly challenge: string;
  readonly redirectUrl: string;
  isUsed: boolean;
}

/** An identity provider of a test, on this machine. */
export class FakeProvider {
  readonly shape: Shape;
  /** The number of requests by path. */
  readonly requests = new Map<string, number>();
  /** Changes the claims of ID tokens. */
  claims: (claims: JWTPayload) => JWTPayload = (claims) => claims;
  /** Replaces members of its metadata and of its keys. */
  published: { readonly keys?: unknown; readonly [name: string]: unknown } = {};
  /** The response to every request; absent: as a provider responds. */
  failure: { readonly status: number; readonly body: string } | undefined;
  /** Who uses the browser that opens the sign-in page; undefined: there is no page. */
  person: Person | undefined;
  /** True to leave all requests without a response. */
  hangs = false;
  /** The requests that it has left without one. */
  open = 0;
  secret = "";
  /** The codes that were sent to it. */
  readonly codes: string[] = [];
  #issuer = "";
  #key:
    | { readonly id: string; readonly private: CryptoKey; readonly public: CryptoKey }
    | undefined;
  readonly #grants = new Map<string, Grant>();
  readonly #server = createServer(async (request, response) => {
    const { url = "" } = request;
    if (this.person !== undefined && url.includes("/authorize?")) {
      const { href } = this.signIn(`${this.#issuer}${url}`, this.person);
      return response.writeHead(303, { location: href }).end();
    }
    const { status, body } = await this.#respond(request);
    if (this.hangs) {
      this.open += 1;
      return undefined;
    }
    return response.writeHead(status, { "content-type": "application/json" }).end(body);
  });

  constructor(shape: Shape) {
    this.shape = shape;
  }

  get issuer(): string {
    return this.#issuer;
  }

  async start(): Promise<this> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    const { port } = this.#server.address() as AddressInfo;
    const paths = { Keycloak: "/realms/staff", Entra: `/${randomUUID()}/v2.0`, Google: "" };
    this.#issuer = `http://127.0.0.1:${port}${paths[this.shape]}`;
    await this.rotateKeys();
    return this;
  }

  /** Ends all connections. */
  disconnect(): void {
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.disconnect();
    await new Promise((done) => this.#server.close(done));
  }

  async rotateKeys(): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair("RS256");
    this.#key = { id: randomUUID(), private: privateKey, public: publicKey };
  }

  /** Signs a person in at the URL of a sign-in. Returns the URL that the browser is sent back to. */
  signIn(location: string, person: Person): URL {
    const { searchParams } = new URL(location);
    const code = randomUUID();
    const redirectUrl = searchParams.get("redirect_uri") ?? "";
    this.#grants.set(code, {
      ...{ person, redirectUrl, isUsed: false },
      nonce: searchParams.get("nonce") ?? "",
      challenge: searchParams.get("code_challenge") ?? "",
    });
    const callback = new URL(redirectUrl);
    callback.searchParams.set("code", code);
    callback.searchParams.set("state", searchParams.get("state") ?? "");
    if (this.shape === "Keycloak") callback.searchParams.set("iss", this.#issuer);
    return callback;
  }

  /** Accepts codes that were used, as it must not. */
  forgetUses(): void {
    for (const grant of this.#grants.values()) grant.isUsed = false;
  }

  async #respond(request: IncomingMessage): Promise<{ status: number; body: string }> {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    this.requests.set(pathname, (this.requests.get(pathname) ?? 0) + 1);
    if (this.failure !== undefined) return this.failure;
    const ok = (value: unknown) => ({ status: 200, body: JSON.stringify(value) });
    if (pathname.endsWith("/.well-known/openid-configuration")) return ok(this.#metadata());
    if (pathname.endsWith("/keys") && this.#key !== undefined) {
      const jwk = await exportJWK(this.#key.public);
      const keys = [{ ...jwk, kid: this.#key.id, use: "sig", alg: "RS256" }];
      return ok({ keys: this.published.keys ?? keys });
    }
    if (pathname.endsWith("/token")) {
      let body = "";
      for await (const chunk of request) body += chunk;
      return this.#exchange(new URLSearchParams(body));
    }
    return { status: 404, body: "{}" };
  }

  #metadata() {
    return {
      issuer: this.#issuer,
      authorization_endpoint: `${this.#issuer}/authorize`,
      token_endpoint: `${this.#issuer}/token`,
      jwks_uri: `${this.#issuer}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: [this.shape === "Entra" ? "pairwise" : "public"],
      id_token_signing_alg_values_supported: ["RS256"],
      scopes_supported: ["openid", "profile", "email"],
      ...(this.shape === "Keycloak" && { authorization_response_iss_parameter_supported: true }),
      ...this.published,
    };
  }

  async #exchange(form: URLSearchParams): Promise<{ status: number; body: string }> {
    const code = form.get("code") ?? "";
    this.codes.push(code);
    const grant = this.#grants.get(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isValid =
      grant?.isUsed === false &&
      grant.challenge === challenge &&
      grant.redirectUrl === form.get("redirect_uri") &&
      (form.get("client_secret") ?? "") === this.secret;
    if (!isValid || this.#key === undefined) {
      return { status: 400, body: JSON.stringify({ error: "invalid_grant" }) };
    }
    grant.isUsed = true;
    const now = Math.floor(Date.now() / 1_000);
    const claims = this.claims({
      ...grant.person,
      ...{ iss: this.#issuer, aud: form.get("client_id") ?? "", nonce: grant.nonce },
      ...{ iat: now, exp: now + 300 },
      ...(this.shape === "Entra" && { tid: "tenant", ver: "2.0" }),
      ...(this.shape === "Google" && { azp: form.get("client_id") ?? "", hd: "example.com" }),
    });
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: this.#key.id, typ: "JWT" })
      .sign(this.#key.private);
    const body = { access_token: "opaque", token_type: "Bearer", expires_in: 300, id_token: token };
    return { status: 200, body: JSON.stringify(body) };
  }
}
