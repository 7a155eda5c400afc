import { Code, DomainError, type Reason } from "../domain/errors.ts";
import { isSystemError } from "./failure.ts";
import { ConfigError } from "./setting.ts";

/** A Studio API and the credential of its caller. */
export interface StudioApiConfig {
  /** Base URL, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly accessToken: string;
}

/** The arguments of a list, by their names in a query. */
export type ListQuery = Readonly<Record<string, string>> & { readonly project_id: string };

/** Calls the Studio API of a running server over HTTP/JSON. Errors of the server become DomainErrors. */
export class StudioApi {
  readonly #config: StudioApiConfig;

  /** Throws a ConfigError if there is no access token. */
  constructor(config: StudioApiConfig) {
    if (config.accessToken === "") throw new ConfigError("--access-token TOKEN is required");
    this.#config = config;
  }

  /** Gets a resource. */
  get<Response>(path: string): Promise<Response> {
    return this.#send("GET", path);
  }

  /** Calls a method by POST. */
  post<Response>(path: string, body: object): Promise<Response> {
    return this.#send("POST", path, JSON.stringify(body));
  }

  /** Lists the first resources of a list, at most `limit`; its pages have them in the member `name`. */
  async list<Item>(path: string, name: string, query: ListQuery, limit: number): Promise<Item[]> {
    const items: Item[] = [];
    let token = "";
    do {
      const page = { page_size: String(limit - items.length), page_token: token };
      const response: Readonly<Record<string, unknown>> = await this.get(
        `${path}?${new URLSearchParams({ ...query, ...page })}`,
      );
      items.push(...(response[name] as Item[]));
      token = String(response.next_page_token);
    } while (token !== "" && items.length < limit);
    return items;
  }

  async #send<Response>(method: string, path: string, body?: string): Promise<Response> {
    const { url, accessToken } = this.#config;
    const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
    const request = { method, headers, ...(body !== undefined && { body }) };
    const response = await fetch(url + path, request).catch(({ cause }) => {
      throw new DomainError(Code.UNAVAILABLE, "SERVER_UNREACHABLE", `${url} does not respond`, {
        ...(isSystemError(cause) && { cause }),
      });
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw toError(text) ?? new Error(`${url} returned HTTP status ${response.status}`);
  }
}

/** Converts the body of an error of the Studio API; undefined for another body, such as one of a proxy. */
function toError(text: string): DomainError | undefined {
  try {
    const { code, message, details } = JSON.parse(text);
    const reason: Reason = details[0].reason;
    return new DomainError(code, reason, `${reason}: ${message}`);
  } catch {
    return undefined;
  }
}
