import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { blamedField } from "./page-components.ts";

const marquee = await useMarquee();

const REQUIRED = { project_id: "worldcup", name: "R" };
const post = (body: unknown, headers = {}) =>
  send("POST", `${marquee.url}/streaming/video_protection/v2/rulesets`, {
    token: marquee.tokens.owner,
    headers,
    body,
  });
const createWith = (fields: Readonly<Record<string, unknown>>) => post({ ...REQUIRED, ...fields });
/** Reads from the store what was kept, to see that the answer tells the truth. */
const kept = async (fields: Readonly<Record<string, unknown>>) => {
  const got = await createWith(fields);
  expect(got.text, got.text).toContain("video_protection_ruleset");
  const { id, project_id, name, ...rest } = got.json.video_protection_ruleset;
  expect([typeof id, project_id, name]).toEqual(["string", "worldcup", "R"]);
  return rest;
};
async function expectRefused(
  fields: Readonly<Record<string, unknown>>,
  reason: string,
  field: string,
) {
  const got = await createWith(fields);
  expect([got.status, got.json.code, reasonOf(got)]).toEqual([400, 3, reason]);
  expect(blamedField(got)).toBe(`video_protection_ruleset.${field}`);
  return got;
}

const NOTHING = { disabled: false, priority: "0" };

describe("what is mandatory and what is the service's", () => {
  test("a project and a name are enough, and the answer shows the zero values only", async () => {
    expect(await kept({})).toEqual(NOTHING);
  });

  for (const name of ["project_id", "name"]) {
    test(`${name} is mandatory`, async () => {
      for (const value of [undefined, "", null]) {
        await expectRefused({ [name]: value }, "FIELD_REQUIRED", name);
      }
    });
  }

  test("an id is refused", async () => {
    await expectRefused({ id: "mine" }, "FIELD_OUTPUT_ONLY", "id");
  });

  test("each ruleset gets an id and a tag of its own", async () => {
    const got = await Promise.all(Array.from({ length: 20 }, () => createWith({})));
    const ids = new Set(got.map((it) => it.json.video_protection_ruleset.id));
    expect(ids.size).toBe(20);
    expect(new Set(got.map((it) => it.headers.get("etag"))).size).toBe(20);
    for (const id of ids)
      expect((await marquee.store.in("org-worldcup").documents.ruleset.get(id)).value.name).toBe(
        "R",
      );
  });

  test("a project that does not exist is 404", async () => {
    const got = await post({ name: "R", project_id: "nothing" });
    expect([got.status, reasonOf(got)]).toEqual([404, "RESOURCE_NOT_FOUND"]);
  });

  test("If-Match cannot hold for what is not there yet", async () => {
    for (const tag of ["*", '"1"']) {
      const got = await post(REQUIRED, { "if-match": tag });
      expect([got.status, reasonOf(got)]).toEqual([409, "ETAG_MISMATCH"]);
    }
  });

  test("unknown fields are refused by name", async () => {
    await expectRefused({ geo: {} }, "FIELD_UNKNOWN", "geo");
    await expectRefused({ drm: { level: 1 } }, "FIELD_UNKNOWN", "drm.level");
    await expectRefused({ target: { ids: [] } }, "FIELD_UNKNOWN", "target.ids");
  });
});

const DE = { country_codes: ["DE"] };
const SITES = { domains: ["a.example"] };
const GROUPS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "rule 1: where viewers may be": {
    geo_restrictions_disallow: DE,
    geo_restrictions_allow: DE,
    allow_all_geographies: true,
  },
  "rule 2: on which sites": { domains: SITES, allow_all_domains: true },
  "rule 3: whom it concerns": { geo_applicability_exempt: DE, geo_applicability_apply: DE },
  "rule 4: which videos": {
    applies_to_all: true,
    target: {
      entity_ids: ["team-esp"],
      event_ids: ["match-2026-104"],
      creative_work_ids: ["highlights-2026-104"],
      content_start_time: "2026-06-11T19:00:00Z",
      content_end_time: "2026-07-19T21:00:00.123456789Z",
      video_ids: ["video-match-2026-104"],
    },
    filter: { filter_events: "content_type: match", filter_creative_works: "id: *" },
  },
};

for (const [rule, members] of Object.entries(GROUPS)) {
  describe(rule, () => {
    const names = Object.keys(members);
    for (const [name, value] of Object.entries(members)) {
      test(`${name} alone is kept and comes back as it was sent`, async () => {
        expect(await kept({ [name]: value })).toEqual({ ...NOTHING, [name]: value });
      });
    }

    for (const [index, first] of names.entries()) {
      for (const second of names.slice(index + 1)) {
        test(`${first} and ${second} together are refused`, async () => {
          const pair = { [first]: members[first], [second]: members[second] };
          const got = await createWith(pair);
          expect([got.status, got.json.code, reasonOf(got)]).toEqual([400, 3, "ONEOF_CONFLICT"]);
          expect(got.json.message).toContain(first);
          expect(got.json.message).toContain(second);
        });
      }
    }

    test("a member that is null counts as not sent", async () => {
      const [first = "", ...others] = names;
      const nulls = Object.fromEntries(others.map((name) => [name, null]));
      expect(await kept({ [first]: members[first], ...nulls })).toEqual({
        ...NOTHING,
        [first]: members[first],
      });
    });
  });
}

describe("rule 5: false in a group's boolean is neutral", () => {
  for (const [rule, members] of Object.entries(GROUPS)) {
    const flag = Object.keys(members).find((name) => members[name] === true);
    if (flag === undefined) continue;
    test(`${flag} false alone counts as not sent (${rule})`, async () => {
      expect(await kept({ [flag]: false })).toEqual(NOTHING);
    });
    for (const [name, value] of Object.entries(members).filter(([it]) => it !== flag)) {
      test(`${flag} false beside ${name}, in either order, leaves ${name}`, async () => {
        const want = { ...NOTHING, [name]: value };
        expect(await kept({ [flag]: false, [name]: value })).toEqual(want);
        expect(await kept({ [name]: value, [flag]: false })).toEqual(want);
      });
    }
  }
});

describe("rule 6: absent, false and true are three different things", () => {
  const flags = ["disallow_vpn_usage", "disallow_hotlinking", "require_authentication"];
  for (const name of flags) {
    for (const value of [true, false]) {
      test(`${name} ${value}`, async () => {
        expect(await kept({ [name]: value })).toEqual({ ...NOTHING, [name]: value });
      });
    }
  }
  test("require_entitlement and enforce_concurrency_limits false", async () => {
    const fields = { require_entitlement: false, enforce_concurrency_limits: false };
    expect(await kept(fields)).toEqual({ ...NOTHING, ...fields });
  });
  for (const name of [...flags, "require_entitlement", "enforce_concurrency_limits"]) {
    test(`${name} absent or null`, async () => {
      expect(await kept({ [name]: null })).toEqual(NOTHING);
    });
    test(`${name} is nothing but a boolean`, async () => {
      for (const value of ["true", 1, "", []]) {
        await expectRefused({ [name]: value }, "VALUE_INVALID", name);
      }
    });
  }
});

describe("rules 10 and 11: what a flag needs", () => {
  const ALL = [undefined, false, true];
  for (const require_authentication of ALL) {
    for (const require_entitlement of ALL) {
      for (const enforce_concurrency_limits of ALL) {
        const flags = { require_authentication, require_entitlement, enforce_concurrency_limits };
        const blamed =
          require_entitlement && !require_authentication
            ? "require_entitlement"
            : enforce_concurrency_limits && !(require_authentication && require_entitlement)
              ? "enforce_concurrency_limits"
              : undefined;
        test(`${JSON.stringify(flags)} is ${blamed ? "refused" : "kept"}`, async () => {
          if (blamed) await expectRefused(flags, "RULE_DEPENDENCY", blamed);
          else expect(await kept(flags)).toEqual({ ...NOTHING, ...flags });
        });
      }
    }
  }
});

describe("rule 12: DRM", () => {
  test("absent stays absent, and enabled false is said explicitly", async () => {
    expect(await kept({ drm: null })).toEqual(NOTHING);
    const none = { enabled: false, hws_minimum_quality: 0, split_keys: false };
    for (const drm of [{}, { enabled: false }]) expect((await kept({ drm })).drm).toEqual(none);
  });

  test("hws_minimum_quality is kept as given", async () => {
    for (const hws_minimum_quality of [0, 1, 720, 2_147_483_647]) {
      const drm = { enabled: true, hws_minimum_quality, split_keys: true };
      expect((await kept({ drm })).drm).toEqual(drm);
    }
  });

  test("hws_minimum_quality is a 32-bit number that is not negative", async () => {
    const field = "drm.hws_minimum_quality";
    for (const [value, reason] of [
      [-1, "VALUE_OUT_OF_RANGE"],
      [2_147_483_648, "VALUE_INVALID"],
      [1.5, "VALUE_INVALID"],
      ["high", "VALUE_INVALID"],
    ] as const) {
      await expectRefused({ drm: { hws_minimum_quality: value } }, reason, field);
    }
  });
});

test("two broken rules name the first and write nothing", async () => {
  const got = await createWith({ require_entitlement: true, drm: { hws_minimum_quality: -1 } });
  expect([got.status, metadataOf(got)?.field]).toEqual([
    400,
    "video_protection_ruleset.require_entitlement",
  ]);
});
