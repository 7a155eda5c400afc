import type { Configuration } from "openid-client";
import { Code, DomainError } from "../domain/base/errors.ts";
import { clip } from "../domain/base/text.ts";
import { MAX_SUBJECT_LENGTH } from "./identity-token.ts";

/** The application of an organization at its identity provider. */
export interface StaffApplication {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: a public client. */
  readonly clientSecret: string;
}

/** The secrets of one sign-in, which the browser keeps until it comes back. */
export interface SignInSecrets {
  readonly state: string;
  readonly nonce: string;
  /** The verifier of PKCE. */
  readonly verifier: string;
}

/** A person as the provider describes them. */
export interface StaffIdentity {
  readonly subject: string;
  /** Empty: the provider sent none. */
  readonly email: string;
  readonly isVerified: boolean;
}

/** Sends a request to a URL that users have chosen, and returns the whole response: `createGuardedFetch`. */
export type GuardedFetch = (
  url: string,
  request: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
  },
) => Promise<Response>;

/** The tolerated difference between two clocks, in seconds. */
const CLOCK_SKEW = 60;

/** The longest ID token, in characters. */
const LONGEST_TOKEN = 16 * 1_024;

/**
 * Signs people in by the code flow of OpenID Connect, with PKCE and a nonce. Nothing is kept between sign-ins: each reads the
 * configuration and the keys of the issuer again, so that a key that the provider has just begun to use counts.
 */
export class StaffProvider {
  readonly #fetch: GuardedFetch;

  constructor(fetch: GuardedFetch) {
    this.#fetch = fetch;
  }

  /** Begins a sign-in. Returns the URL of the provider to send the browser to. UNAVAILABLE `ISSUER_UNREACHABLE`. */
  async begin(
    application: StaffApplication,
    redirectUrl: string,
  ): Promise<{ readonly url: URL; readonly secrets: SignInSecrets }> {
    const { client, configuration } = await this.#discover(application);
    const secrets = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const parameters = {
      redirect_uri: redirectUrl,
      scope: "openid email",
      code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: "S256",
      ...{ state: secrets.state, nonce: secrets.nonce },
    };
    try {
      return { url: client.buildAuthorizationUrl(configuration, parameters), secrets };
    } catch (cause) {
      throw unreachable(cause);
    }
  }

  /**
   * Finishes a sign-in with the URL that the browser came back to. UNAUTHENTICATED `SIGN_IN_REJECTED` or UNAVAILABLE
   * `ISSUER_UNREACHABLE`.
   */
  async finish(
    application: StaffApplication,
    callback: URL,
    { state, nonce, verifier }: SignInSecrets,
  ): Promise<StaffIdentity> {
    const { client, configuration, failures } = await this.#discover(application);
    try {
      const tokens = await client.authorizationCodeGrant(configuration, callback, {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
        idTokenExpected: true,
      });
      if ((tokens.id_token?.length ?? 0) > LONGEST_TOKEN) throw new Error("the token is too large");
      const claims = tokens.claims();
      const { sub = "" } = claims ?? {};
      const { azp, email, email_verified: verified } = claims ?? ({} as Record<string, unknown>);
      const { clientId } = application;
      if (azp !== undefined && azp !== clientId) throw new Error("the token is for another party");
      if (sub === "" || sub.length > MAX_SUBJECT_LENGTH || !sub.isWellFormed()) {
        throw new Error("the subject of the token is not valid");
      }
      return {
        subject: sub,
        email: typeof email === "string" ? email : "",
        isVerified: verified === true || verified === "true",
      };
    } catch (cause) {
      if (failures.length > 0) throw unreachable(failures[0]);
      throw rejected(describe(cause), cause);
    }
  }

  /** Reads the configuration and the keys of an issuer. Returns the problems; empty: there are none. */
  async test(application: StaffApplication): Promise<string[]> {
    try {
      const { configuration } = await this.#discover(application);
      const {
        jwks_uri: url,
        scopes_supported: scopes,
        ...metadata
      } = configuration.serverMetadata();
      const problems: string[] = [];
      if (metadata.authorization_endpoint === undefined)
        problems.push("There is no authorization endpoint.");
      if (metadata.token_endpoint === undefined) problems.push("There is no token endpoint.");
      if (scopes !== undefined && !scopes.includes("email"))
        problems.push("The scope email is not offered.");
      const response = await this.#fetch(url ?? "", { method: "GET", headers: {} });
      const { keys } = (await response.json()) as { keys?: unknown };
      if (!Array.isArray(keys) || keys.length === 0) problems.push("The issuer publishes no keys.");
      return problems;
    } catch (cause) {
      return [`The issuer does not respond as expected: ${clip(describe(cause))}.`];
    }
  }

  /** Reads the configuration of an issuer. `failures` are the requests that got no response. */
  async #discover({ issuer, clientId, clientSecret }: StaffApplication): Promise<{
    readonly client: typeof import("openid-client");
    readonly configuration: Configuration;
    readonly failures: readonly unknown[];
  }> {
    // Loaded at the first sign-in: its modules would prolong every start.
    const client = await import("openid-client");
    const failures: unknown[] = [];
    const fetch = async (url: string, { method, headers, body }: Parameters<GuardedFetch>[1]) => {
      try {
        return await this.#fetch(url, { method, headers, body });
      } catch (cause) {
        failures.push(cause);
        throw cause;
      }
    };
    const options = {
      [client.customFetch]: fetch,
      // The guarded fetch decides what may be called.
      execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
    };
    const metadata = { [client.clockTolerance]: CLOCK_SKEW };
    const authentication =
      clientSecret === "" ? client.None() : client.ClientSecretPost(clientSecret);
    try {
      const url = new URL(issuer);
      const configuration = await client.discovery(
        url,
        clientId,
        metadata,
        authentication,
        options,
      );
      return { client, configuration, failures };
    } catch (cause) {
      throw unreachable(failures[0] ?? cause);
    }
  }
}

/** Creates the error of a sign-in that the provider or its token does not allow. */
export function rejected(why: string, cause?: unknown): DomainError {
  const message = `the identity provider rejected the sign-in: ${clip(why)}`;
  return new DomainError(Code.UNAUTHENTICATED, "SIGN_IN_REJECTED", message, { cause });
}

function unreachable(cause: unknown): DomainError {
  const message = `the identity provider does not respond as expected: ${clip(describe(cause))}`;
  return new DomainError(Code.UNAVAILABLE, "ISSUER_UNREACHABLE", message, { cause });
}

/** Describes an error without the IP addresses and the responses that it may contain. */
function describe(cause: unknown): string {
  if (cause instanceof DomainError) return cause.message;
  if (!(cause instanceof Error)) return "no response";
  const { code, error, error_description: description } = cause as Error & Record<string, unknown>;
  if (typeof error === "string") return [error, description].filter(Boolean).join(", ");
  return typeof code === "string" ? code : cause.message;
}
