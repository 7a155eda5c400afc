import { type HttpAnswer, send } from "../harness/http.ts";
import type { Marquee } from "../harness/marquee.ts";

/** The management face that a call takes. */
export type RulesetFace = "REST" | "Connect";

/** The two faces, for tests that hold on both. */
export const RULESET_FACES: readonly RulesetFace[] = ["REST", "Connect"];

/** What a call of a ruleset method carries beside its message. */
export interface RulesetCall {
  /** Default: the owner's. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls one method of rulesets; the message is in snake_case. */
export type CallRulesets = (
  method: RulesetMethod,
  message: Readonly<Record<string, unknown>>,
  call?: RulesetCall,
) => Promise<HttpAnswer>;

/** A method of rulesets by the verb of its name. */
export type RulesetMethod = "create" | "get" | "list" | "update" | "delete" | "simulate";

const PATH = "/streaming/video_protection/v2/rulesets";
const SERVICE = "/svc.studio.streaming.ruleset.v2.RulesetService";
const PROCEDURES: Readonly<Record<RulesetMethod, string>> = {
  create: "CreateRuleset",
  get: "GetRuleset",
  list: "ListRulesets",
  update: "UpdateRuleset",
  delete: "DeleteRuleset",
  simulate: "SimulateRulesets",
};

/** Makes the calls of a face. */
export function callRulesets({ url, tokens }: Marquee, face: RulesetFace): CallRulesets {
  return (method, message, { token = tokens.owner, headers = {} } = {}) => {
    if (face === "Connect") {
      return send("POST", `${url}${SERVICE}/${PROCEDURES[method]}`, {
        token,
        headers: { "connect-protocol-version": "1", ...headers },
        body: message,
      });
    }
    const { ruleset_id: id, ...rest } = message;
    const one = `${url}${PATH}/${encodeURIComponent(String(id))}`;
    const query = Object.entries(message).map(
      ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
    );
    switch (method) {
      case "create":
        return send("POST", `${url}${PATH}`, {
          token,
          headers,
          body: message.video_protection_ruleset,
        });
      case "get":
        return send("GET", one, { token, headers });
      case "list":
        return send("GET", `${url}${PATH}?${query.join("&")}`, { token, headers });
      case "update":
        return send("PATCH", one, { token, headers, body: rest });
      case "delete":
        return send("DELETE", one, { token, headers });
      case "simulate":
        return send("POST", `${url}${PATH}:simulate`, { token, headers, body: message });
      default:
        return method satisfies never;
    }
  };
}

/** Fields of a ruleset in the names of REST. */
export type RulesetFields = Readonly<Record<string, unknown>>;

/** Makes, changes and reads rulesets of the first project. */
export interface RulesetChanges {
  make(fields?: RulesetFields): Promise<{ readonly id: string; readonly etag: string }>;
  update(id: string, fields: unknown, mask: unknown, call?: RulesetCall): Promise<HttpAnswer>;
  /** Reads all but id, project and name, without the zero values. */
  read(id: string): Promise<Record<string, unknown>>;
}

/** Makes the changes over a face. */
export function changeRulesets(marquee: Marquee, face: RulesetFace): RulesetChanges {
  const call = callRulesets(marquee, face);
  return {
    async make(fields = {}) {
      const ruleset = { project_id: "worldcup", name: "R", ...fields };
      const got = await call("create", { video_protection_ruleset: ruleset });
      if (got.status !== 200) throw new Error(got.text);
      return { id: String(rulesetOf(got).id), etag: got.headers.get("etag") ?? "" };
    },
    update: (id, fields, mask, more = {}) =>
      call("update", { ruleset_id: id, video_protection_ruleset: fields, update_mask: mask }, more),
    async read(id) {
      const ruleset = rulesetOf(await call("get", { ruleset_id: id }));
      const { id: _, project_id: __, name: ___, ...rest } = ruleset;
      return rest;
    },
  };
}

/** Gets the ruleset of an answer in the names of REST, without the zero values. */
export function rulesetOf({ json }: HttpAnswer): Record<string, unknown> {
  const { name, project_id, disabled, priority, ...rest } = toSnakeCase(
    json.video_protection_ruleset ?? json.videoProtectionRuleset,
  );
  return {
    ...{ name, project_id, ...rest },
    ...(disabled === true && { disabled }),
    ...(priority !== undefined && priority !== "0" && { priority }),
  };
}

/** Writes the names of an answer, of Connect for example, as REST does. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every form.
export function toSnakeCase(value: any): any {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      toSnakeCase(inner),
    ]),
  );
}
