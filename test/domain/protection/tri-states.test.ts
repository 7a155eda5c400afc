import { describe, expect, test } from "vitest";
import { decide, type RuleName, type Viewer } from "../../../src/domain/protection/decide.ts";
import { build } from "./build.ts";

type State = "absent" | "false" | "true";
const STATES: readonly State[] = ["absent", "false", "true"];
const FLAGS = ["vpn", "hotlinking", "authentication", "entitlement", "concurrency"] as const;
type Flags = Readonly<Record<(typeof FLAGS)[number], State>>;

const NAMES: Readonly<Record<(typeof FLAGS)[number], readonly [string, RuleName]>> = {
  vpn: ["disallowVpnUsage", "disallow_vpn_usage"],
  hotlinking: ["disallowHotlinking", "disallow_hotlinking"],
  authentication: ["requireAuthentication", "require_authentication"],
  entitlement: ["requireEntitlement", "require_entitlement"],
  concurrency: ["enforceConcurrencyLimits", "enforce_concurrency_limits"],
};

interface Person {
  readonly vpn: boolean | undefined;
  readonly authenticated: boolean;
  readonly entitled: boolean | undefined;
  readonly hasStream: boolean | undefined;
}

const MAYBE = [undefined, false, true];
const ALL_FLAGS = FLAGS.reduce<readonly Partial<Flags>[]>(
  (some, flag) => some.flatMap((flags) => STATES.map((state) => ({ ...flags, [flag]: state }))),
  [{}],
) as readonly Flags[];
const PEOPLE: readonly Person[] = MAYBE.flatMap((vpn) =>
  [false, true].flatMap((authenticated) =>
    MAYBE.flatMap((entitled) =>
      MAYBE.map((hasStream) => ({ vpn, authenticated, entitled, hasStream })),
    ),
  ),
);

function toRuleset(flags: Flags) {
  const set = FLAGS.filter((flag) => flags[flag] !== "absent");
  return build(Object.fromEntries(set.map((flag) => [NAMES[flag][0], flags[flag] === "true"])));
}

function toViewer({ vpn, authenticated, entitled, hasStream }: Person): Viewer {
  return { vpn, entitlement: entitled, hasStream, ...(authenticated ? { userId: "u" } : {}) };
}

/** The rules again, as a list of obstacles in order (contract: rulesets 17). */
function expectDecision(flags: Flags, person: Person): string {
  if (flags.vpn === "true" && person.vpn === true) return "VPN_NOT_ALLOWED";
  if (flags.authentication === "true" && !person.authenticated) return "AUTHENTICATION_REQUIRED";
  if (flags.entitlement === "true") {
    if (!person.authenticated || !person.entitled) return "ENTITLEMENT_REQUIRED";
  }
  const limited = [flags.authentication, flags.entitlement, flags.concurrency];
  if (limited.every((state) => state === "true") && person.hasStream === false) {
    return "CONCURRENCY_LIMIT_REACHED";
  }
  return "allow";
}

describe("rules 6, 7 and 9 to 11: three states of five flags, for every viewer", () => {
  test("the responses are those of the rules", () => {
    expect([ALL_FLAGS.length, PEOPLE.length]).toEqual([243, 54]);
    const seen = new Set<string>();
    for (const flags of ALL_FLAGS) {
      const ruleset = toRuleset(flags);
      for (const person of PEOPLE) {
        const decision = decide(ruleset, toViewer(person));
        const got = decision.kind === "deny" ? decision.reason : decision.kind;
        const want = expectDecision(flags, person);
        if (got !== want) expect.unreachable(JSON.stringify({ flags, person, got, want }));
        seen.add(got);
        if (decision.kind !== "allow") continue;
        const { bindAddress, enforceConcurrency } = decision;
        expect([bindAddress, enforceConcurrency]).toEqual([
          flags.hotlinking === "true",
          flags.authentication === "true" &&
            flags.entitlement === "true" &&
            flags.concurrency === "true",
        ]);
      }
    }
    expect([...seen].toSorted()).toEqual([
      "AUTHENTICATION_REQUIRED",
      "CONCURRENCY_LIMIT_REACHED",
      "ENTITLEMENT_REQUIRED",
      "VPN_NOT_ALLOWED",
      "allow",
    ]);
  });

  test("each rule says which state it is in", () => {
    for (const flags of ALL_FLAGS) {
      const ruleset = toRuleset(flags);
      for (const person of PEOPLE) {
        const decision = decide(ruleset, toViewer(person));
        for (const flag of FLAGS) {
          const result = decision.rules.find(({ rule }) => rule === NAMES[flag][1]);
          const isExplicit = result?.detail.includes("explicitly") ?? false;
          const got =
            result?.outcome === "not_set"
              ? "absent"
              : isExplicit && result?.outcome === "pass"
                ? "false"
                : "true";
          if (got !== flags[flag]) expect.unreachable(JSON.stringify({ flags, person, result }));
        }
      }
    }
  });
});
