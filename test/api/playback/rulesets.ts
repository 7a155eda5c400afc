import { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { HttpAnswer } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { callStudio, STUDIO_FACES, type StudioCall, type StudioFace } from "../studio.ts";

/** The two faces, for tests that hold on both. */
export const RULESET_FACES = STUDIO_FACES;

/** Calls one method of rulesets by the verb of its name; the message is in snake_case. */
export type CallRulesets = (
  verb: "create" | "get" | "list" | "update" | "delete" | "simulate",
  message: RulesetFields,
  call?: StudioCall,
) => Promise<HttpAnswer>;

/** Makes the calls of a face. */
export function callRulesets(marquee: Marquee, face: StudioFace): CallRulesets {
  const call = callStudio(marquee, RulesetService, face);
  return (verb, message, options) => {
    const method = RulesetService.methods.find(({ name }) => name.toLowerCase().startsWith(verb));
    const fields = Object.entries(message).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]);
    return call(method?.name ?? verb, Object.fromEntries(fields), options);
  };
}

/** Fields of a ruleset in the names of REST. */
export type RulesetFields = Readonly<Record<string, unknown>>;

/** Makes, changes and reads rulesets of the first project. */
export interface RulesetChanges {
  make(fields?: RulesetFields): Promise<{ readonly id: string; readonly etag: string }>;
  update(id: string, fields: unknown, mask: unknown, call?: StudioCall): Promise<HttpAnswer>;
  /** Reads all but id, project and name, without the zero values. */
  read(id: string): Promise<Record<string, unknown>>;
}

/** Makes the changes over a face. */
export function changeRulesets(marquee: Marquee, face: StudioFace): RulesetChanges {
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
