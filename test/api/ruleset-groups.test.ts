import { isDeepStrictEqual } from "node:util";
import type { DescField } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { RulesetService } from "../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { reasonOf } from "../harness/http.ts";
import { authorize } from "../harness/transports.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { changeRulesets, RULESET_FACES, type RulesetFields } from "./rulesets.ts";

const marquee = await useMarquee();

const DE = { country_codes: ["DE"] };
const AT = { country_codes: ["AT"] };
const TARGET = {
  entity_ids: ["team-esp"],
  event_ids: ["match-2026-104"],
  creative_work_ids: ["highlights-2026-104"],
  video_ids: ["video-match-2026-104"],
};
const FILTER = { filter_events: "content_type: match", filter_creative_works: "id: *" };
/** The members of every group, each with a value. */
const GROUPS: Readonly<Record<string, RulesetFields>> = {
  geo_restrictions: {
    geo_restrictions_disallow: DE,
    geo_restrictions_allow: AT,
    allow_all_geographies: true,
  },
  domain_restrictions: { domains: { domains: ["a.example"] }, allow_all_domains: true },
  geo_applicability: { geo_applicability_exempt: DE, geo_applicability_apply: AT },
  applicability: { applies_to_all: true, target: TARGET, filter: FILTER },
};

/** A change of one group: what is stored, what the mask names, and what the update says. */
interface GroupChange {
  readonly stored: string | undefined;
  readonly named: readonly string[];
  /** The member that has a value in the update. */
  readonly given: string | undefined;
  /** True: the group's other booleans are false in the update, else they are absent. */
  readonly saysFalse: boolean;
}

const NEXT: Readonly<Record<string, unknown>> = {
  geo_restrictions_disallow: { country_codes: ["FR"] },
  geo_restrictions_allow: { country_codes: ["IT"] },
  domains: { domains: ["b.example"] },
  geo_applicability_exempt: { country_codes: ["FR"] },
  geo_applicability_apply: { country_codes: ["IT"] },
  target: { ...TARGET, event_ids: ["match-2026-1"] },
  filter: { ...FILTER, filter_events: "id: *" },
};

/** The value that an update gives a member: another than the stored one, where there is another. */
const nextOf = (member: string) => NEXT[member] ?? true;

function listChanges(members: RulesetFields): GroupChange[] {
  const names = Object.keys(members);
  const maybe = [undefined, ...names];
  const subsets = names.reduce<string[][]>(
    (all, name) => all.concat(all.map((it) => it.concat(name))),
    [[]],
  );
  const hasOtherBoolean = (given: string | undefined) =>
    names.some((name) => name !== given && members[name] === true);
  return maybe.flatMap((stored) =>
    subsets
      .filter((named) => named.length > 0)
      .flatMap((named) =>
        maybe.flatMap((given) =>
          [false, ...(hasOtherBoolean(given) ? [true] : [])].map((saysFalse) => ({
            ...{ stored, named, given, saysFalse },
          })),
        ),
      ),
  );
}

function toUpdate(members: RulesetFields, { given, saysFalse }: GroupChange): RulesetFields {
  const falses = Object.entries(members).flatMap(([name, value]) =>
    saysFalse && value === true && name !== given ? [[name, false]] : [],
  );
  return { ...Object.fromEntries(falses), ...(given !== undefined && { [given]: nextOf(given) }) };
}

/** Gives what is stored after a change, or "refused" for two members that both say something. */
function expectStored(members: RulesetFields, change: GroupChange): RulesetFields | "refused" {
  const { stored, named, given } = change;
  const counted = named.filter((name) => members[name] !== true || name === given);
  if (counted.length > 1) return "refused";
  if (given !== undefined && named.includes(given)) return { [given]: nextOf(given) };
  if (stored === undefined || named.includes(stored)) return {};
  return { [stored]: members[stored] };
}

for (const face of RULESET_FACES) {
  const { make, update, read } = changeRulesets(marquee, face);

  describe(`the groups of a ruleset over ${face}`, () => {
    for (const [group, members] of Object.entries(GROUPS)) {
      const changes = listChanges(members);
      for (const stored of [undefined, ...Object.keys(members)]) {
        test(`${group}: a neutral value clears only its own member, with ${stored ?? "nothing"} stored`, async () => {
          const own = changes
            .filter((it) => it.stored === stored)
            .filter(({ named }) => face === "REST" || named.length === 1);
          expect(own.length).toBeGreaterThan(5);
          const kept = {
            priority: "7",
            ...(stored !== undefined && { [stored]: members[stored] }),
          };
          let id: string | undefined;
          for (const change of own) {
            id ??= (await make(kept)).id;
            const got = await update(id, toUpdate(members, change), change.named.join(","));
            const want = expectStored(members, change);
            const after = await read(id);
            expect({ change, status: got.status, reason: reasonOf(got), after }).toEqual(
              want === "refused"
                ? { change, status: 400, reason: "ONEOF_CONFLICT", after: kept }
                : { change, status: 200, reason: undefined, after: { priority: "7", ...want } },
            );
            if (!isDeepStrictEqual(after, kept)) id = undefined;
          }
        });
      }

      test(`${group}: two values in the body are refused`, async () => {
        const [first = "", second = ""] = Object.keys(members);
        const { id } = await make({ [first]: members[first] });
        const before = await read(id);
        const both = { [first]: members[first], [second]: members[second] };
        for (const mask of [first, `${first},${second}`, "name"]) {
          const got = await update(id, both, mask);
          expect([got.status, reasonOf(got)]).toEqual([400, "ONEOF_CONFLICT"]);
          expect(got.json.message).toContain(first);
          expect(got.json.message).toContain(second);
        }
        expect(await read(id)).toEqual(before);
      });

      test(`${group}: a mask of other fields leaves it alone`, async () => {
        const [first = ""] = Object.keys(members);
        const { id } = await make({ [first]: members[first] });
        await update(id, { name: "N" }, "name");
        expect(await read(id)).toEqual({ [first]: members[first] });
      });

      test(`${group}: a new ruleset has false beside another member for not sent`, async () => {
        const [other = ""] = Object.keys(members).filter((name) => members[name] !== true);
        const [neutral] = Object.keys(members).filter((name) => members[name] === true);
        for (const fields of neutral === undefined
          ? []
          : [
              { [neutral]: false, [other]: members[other] },
              { [other]: members[other], [neutral]: false },
            ]) {
          const { id } = await make(fields);
          expect(await read(id)).toEqual({ [other]: members[other] });
        }
      });
    }
  });
}

describe("the groups of a ruleset in binary", () => {
  const text = (field: DescField) => field.localName;
  for (const group of VideoProtectionRulesetSchema.oneofs) {
    test(`${group.name}: a neutral value clears only its own member`, async () => {
      const client = createClient(
        RulesetService,
        createConnectTransport({
          baseUrl: marquee.url,
          httpVersion: "1.1",
          useBinaryFormat: true,
          interceptors: [authorize(marquee.tokens.owner)],
        }),
      );
      const toGroup = (field: DescField, isNeutral: boolean) => ({
        [group.localName]: {
          case: text(field),
          value: field.fieldKind === "scalar" ? !isNeutral : {},
        },
      });
      for (const stored of group.fields) {
        const { videoProtectionRuleset } = await client.createRuleset({
          videoProtectionRuleset: { projectId: "worldcup", name: "R", ...toGroup(stored, false) },
        });
        const rulesetId = videoProtectionRuleset?.id ?? "";
        for (const named of group.fields) {
          if (named === stored) continue;
          const isBoolean = named.fieldKind === "scalar";
          for (const sent of [{}, ...(isBoolean ? [toGroup(named, true)] : [])]) {
            const got = await client.updateRuleset({
              rulesetId,
              videoProtectionRuleset: sent,
              updateMask: { paths: [named.name] },
            });
            expect(got.videoProtectionRuleset).toMatchObject(toGroup(stored, false));
          }
        }
        const cleared = await client.updateRuleset({
          rulesetId,
          videoProtectionRuleset: {},
          updateMask: { paths: [stored.name] },
        });
        expect(cleared.videoProtectionRuleset).toMatchObject({
          [group.localName]: { case: undefined },
        });
      }
    });
  }
});
