import type { HttpAnswer } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import type { StudioFace } from "../studio.ts";
import {
  callRulesets,
  changeRulesets,
  type RulesetChanges,
  type RulesetFields,
  toSnakeCase,
} from "./rulesets.ts";

/** A video of the demo that only `ruleset-default` applies to, and the event that shows it. */
export const VIDEO = "video-match-2026-104";
export const EVENT = "match-2026-104";
/** When simulations take place that say nothing else. */
export const TIME = "2026-07-19T20:00:00Z";

/** What one rule says in a simulation. */
export interface Outcome {
  readonly rule: string;
  readonly outcome: string;
  readonly detail: string;
}

/** Simulates who plays {@link VIDEO} at {@link TIME}. */
export interface Simulations extends Omit<RulesetChanges, "read"> {
  /** Calls the method; the answer is in the names of REST. */
  simulate(message?: RulesetFields, token?: string): Promise<HttpAnswer>;
  /** Makes a ruleset that decides about the video before those of the demo. */
  decideBy(fields: RulesetFields): Promise<{ readonly id: string }>;
}

/** Makes the simulations over a face. */
export function createSimulations(marquee: Marquee, face: StudioFace): Simulations {
  const { make, update } = changeRulesets(marquee, face);
  return {
    make,
    update,
    async simulate(message = {}, token = marquee.tokens.owner) {
      const whole = { project_id: "worldcup", video_id: VIDEO, time: TIME, ...message };
      const got = await callRulesets(marquee, face)("simulate", whole, { token });
      return { ...got, json: toSnakeCase(got.json) };
    },
    decideBy: (fields) => make({ priority: "1000", target: { video_ids: [VIDEO] }, ...fields }),
  };
}

/** Gets what each rule says. */
export function rulesOf({ json }: HttpAnswer): readonly Outcome[] {
  return json.rules ?? [];
}

/** Finds a user with an entitlement to the video at the time. */
export async function findBuyer({ store }: Marquee): Promise<string> {
  for (let number = 1; number <= 800; number += 1) {
    const userId = `user-worldcup-${String(number).padStart(4, "0")}`;
    const viewer = { projectId: "worldcup", userId, now: new Date(TIME) };
    const watched = { videoId: VIDEO, eventIds: [EVENT], creativeWorkIds: [] };
    if (await store.entitlements.covers({ ...viewer, ...watched })) return userId;
  }
  throw new Error("nobody has bought the video");
}

/** Deletes the rulesets that tests made. */
export async function deleteMade({ store }: Marquee): Promise<void> {
  for (const { id, name } of await store.rulesets.list("worldcup")) {
    if (name === "R") await store.in("org-worldcup").documents.ruleset.delete(id, () => undefined);
  }
}
