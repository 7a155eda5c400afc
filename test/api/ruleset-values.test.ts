import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { blamedField } from "./page-components.ts";

const marquee = await useMarquee();

const createWith = (fields: Readonly<Record<string, unknown>>) =>
  send("POST", `${marquee.url}/streaming/video_protection/v2/rulesets`, {
    token: marquee.tokens.owner,
    body: { project_id: "worldcup", name: "R", ...fields },
  });
const kept = async (fields: Readonly<Record<string, unknown>>) => {
  const got = await createWith(fields);
  expect(got.status, got.text).toBe(200);
  return got.json.video_protection_ruleset;
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

const LISTS = [
  ...["geo_restrictions_disallow", "geo_restrictions_allow"],
  ...["geo_applicability_exempt", "geo_applicability_apply"],
];

describe("country codes are ISO 3166-1 alpha-2, in upper case in answers", () => {
  for (const list of LISTS) {
    test(`${list} takes either case and keeps the order`, async () => {
      const got = await kept({ [list]: { country_codes: ["de", "At", "CH", "dE"] } });
      expect(got[list]).toEqual({ country_codes: ["DE", "AT", "CH", "DE"] });
    });

    test(`${list} may be empty`, async () => {
      expect((await kept({ [list]: {} }))[list]).toEqual({ country_codes: [] });
    });

    for (const code of ["UK", "EU", "XX", "DEU", "D", "", " DE", "49", "ß", "ﬁ", "ſe", "ＤＥ"]) {
      test(`${list} refuses "${code}" by name`, async () => {
        const value = { country_codes: ["DE", code] };
        const field = `${list}.country_codes`;
        const got = await expectRefused({ [list]: value }, "COUNTRY_CODE_INVALID", field);
        expect(got.json.message).toContain(`'${code}'`);
      });
    }
  }
});

describe("domains are host names", () => {
  const allowed = ["example.com", "a", "EXAMPLE.com", "a-b.c1.example", "münchen.example"];
  test("host names are kept as sent, and an empty list stays a list", async () => {
    const more = ["xn--mnchen-3ya.example", `${"a".repeat(63)}.example`, "127.0.0.1"];
    const domains = [...allowed, ...more];
    expect((await kept({ domains: { domains } })).domains).toEqual({ domains });
    expect((await kept({ domains: {} })).domains).toEqual({ domains: [] });
  });

  const refused = [
    ...["https://example.com", "example.com:443", "example.com/path", "*.example.com", ""],
    ...["a..b", ".a", "a.", "-a.example", "a-.example", "a b", "a_b.example", "user@example.com"],
    ...[`${"a".repeat(64)}.example`, "[::1]", `${"a.".repeat(126)}ab`, "//example.com"],
  ];
  for (const domain of refused) {
    test(`"${domain.slice(0, 40)}" is refused`, async () => {
      const domains = { domains: ["example.com", domain] };
      await expectRefused({ domains }, "DOMAIN_INVALID", "domains.domains");
    });
  }
});

describe("priority is a 64-bit number", () => {
  for (const [sent, want] of [
    [undefined, "0"],
    ["0", "0"],
    [7, "7"],
    ["-7", "-7"],
    ["9223372036854775807", "9223372036854775807"],
    ["-9223372036854775808", "-9223372036854775808"],
    [9007199254740991, "9007199254740991"],
  ] as const) {
    test(`${JSON.stringify(sent)} comes back as "${want}"`, async () => {
      expect((await kept({ priority: sent })).priority).toBe(want);
    });
  }

  test("a long number keeps its digits, also without quotes", async () => {
    const got = await send("POST", `${marquee.url}/streaming/video_protection/v2/rulesets`, {
      token: marquee.tokens.owner,
      body: '{"project_id":"worldcup","name":"R","priority":9223372036854775807}',
    });
    expect(got.json.video_protection_ruleset.priority).toBe("9223372036854775807");
  });

  for (const priority of ["9223372036854775808", 1.5, "high", "", true, [], {}, "1 "]) {
    test(`${JSON.stringify(priority)} is refused`, async () => {
      await expectRefused({ priority }, "VALUE_INVALID", "priority");
    });
  }
});

describe("the target's window", () => {
  const START = "2026-06-11T19:00:00Z";
  for (const [end, isAllowed] of [
    [START, true],
    ["2026-06-11T19:00:00.000000001Z", true],
    ["2026-06-11T18:59:59.999999999Z", false],
    ["2026-06-11T21:00:00+02:00", true],
    ["2026-06-11T20:59:59+02:00", false],
  ] as const) {
    test(`from ${START} to ${end} is ${isAllowed ? "kept" : "refused"}`, async () => {
      const target = { content_start_time: START, content_end_time: end };
      if (isAllowed) expect((await kept({ target })).target.content_start_time).toBe(START);
      else await expectRefused({ target }, "TIME_WINDOW_INVALID", "target.content_end_time");
    });
  }

  test("may be open on either side, and answers are in UTC", async () => {
    for (const name of ["content_start_time", "content_end_time"]) {
      const target = { [name]: "2026-06-11T21:00:00.5+02:00" };
      expect((await kept({ target })).target).toEqual({
        entity_ids: [],
        event_ids: [],
        creative_work_ids: [],
        video_ids: [],
        [name]: "2026-06-11T19:00:00.500Z",
      });
    }
  });

  const broken = ["2026-02-30T00:00:00Z", "2026-06-11", "2026-06-11 19:00:00Z", "now", 0, ""];
  for (const time of [
    ...broken,
    "2026-06-11T24:00:00Z",
    "2026-06-11T19:00:00",
    "2026-13-01T00:00:00Z",
  ]) {
    test(`${JSON.stringify(time)} is no timestamp`, async () => {
      const target = { content_start_time: time };
      await expectRefused({ target }, "VALUE_INVALID", "target.content_start_time");
    });
  }
});

describe("KQL in the filter is checked when it is written", () => {
  for (const name of ["filter_events", "filter_creative_works"]) {
    test(`${name} that is valid is kept as it is`, async () => {
      const text = ' content_type : match  AND NOT (fields.stage:"group" or id: a*) ';
      expect((await kept({ filter: { [name]: text } })).filter[name]).toBe(text);
    });

    for (const [text, reason, column] of [
      ["a: (", "KQL_SYNTAX", "5"],
      [")", "KQL_SYNTAX", "1"],
      ["a: x or (b: y", "KQL_SYNTAX", "14"],
      [`a: "${"x".repeat(9_000)}"`, "KQL_LIMIT", undefined],
    ] as const) {
      test(`${name} refuses ${text.slice(0, 20)} with the column`, async () => {
        const got = await expectRefused({ filter: { [name]: text } }, reason, `filter.${name}`);
        expect(metadataOf(got)?.column).toMatch(/^\d+$/);
        if (column !== undefined) expect(metadataOf(got)?.column).toBe(column);
      });
    }
  }

  test("a filter without texts is kept", async () => {
    expect((await kept({ filter: {} })).filter).toEqual({
      filter_events: "",
      filter_creative_works: "",
    });
  });
});

test("a disabled ruleset can be created, and the flag comes back", async () => {
  for (const disabled of [true, false]) {
    expect((await kept({ disabled })).disabled).toBe(disabled);
  }
});
