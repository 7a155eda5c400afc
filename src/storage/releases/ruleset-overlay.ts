import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { compareCodePoints } from "../../domain/kql/index.ts";
import type { DeliveryReads } from "../contract/store.ts";
import type { ReleaseStates } from "./release-states.ts";

/** Video protection rulesets as releases leave them. */
export class RulesetOverlay {
  readonly #current: DeliveryReads["rulesets"];
  readonly #releases: ReleaseStates;

  constructor(current: DeliveryReads["rulesets"], releases: ReleaseStates) {
    this.#current = current;
    this.#releases = releases;
  }

  async list(projectId: string): Promise<readonly VideoProtectionRuleset[]> {
    const drafted = await this.#releases.find("ruleset");
    const rulesets = (await this.#current.list(projectId)).filter(({ id }) => !drafted.has(id));
    for await (const { state } of this.#releases.merge(drafted.values())) {
      if (state !== undefined) rulesets.push(state.message as VideoProtectionRuleset);
    }
    return rulesets.sort((a, b) => compareCodePoints(a.id, b.id));
  }
}
