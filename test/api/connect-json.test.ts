import { describe, expect, test } from "vitest";
import { type HttpAnswer, reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();

function call(method: string, body: unknown): Promise<HttpAnswer> {
  return send("POST", `${marquee.url}/svc.studio.${method}`, {
    token: marquee.tokens.owner,
    headers: { "connect-protocol-version": "1" },
    body,
  });
}

describe("management over Connect JSON reads as strictly as over HTTP/JSON", () => {
  const create = (ruleset: object) =>
    call("streaming.ruleset.v2.RulesetService/CreateRuleset", {
      videoProtectionRuleset: { projectId: "worldcup", name: "Strict", ...ruleset },
    });
  const update = (body: object) =>
    call("ott.page_component.v2.PageComponentService/UpdatePageComponent", {
      pageComponentId: "banner-home",
      ...body,
    });

  const refused: readonly (readonly [string, () => Promise<HttpAnswer>, string])[] = [
    [
      "an impossible date",
      () => create({ target: { contentStartTime: "2026-02-30T00:00:00Z" } }),
      "VALUE_INVALID",
    ],
    ["an unknown field", () => create({ colour: "red" }), "FIELD_UNKNOWN"],
    [
      "the number of an enum value",
      () => update({ pageComponentUpdate: { visibility: 1 } }),
      "VALUE_INVALID",
    ],
    [
      "a key twice",
      () =>
        call("iam.auth.v1.AuthService/TestPermissions", '{"resourceKey":"a","resourceKey":"b"}'),
      "JSON_DUPLICATE_KEY",
    ],
    [
      "a mask of no field's name",
      () => update({ pageComponentUpdate: {}, updateMask: "a__b,*" }),
      "UPDATE_MASK_INVALID",
    ],
  ];
  for (const [name, send, reason] of refused) {
    test(`${name} is refused`, async () => {
      const got = await send();
      expect([got.status, got.json.code, reasonOf(got)]).toEqual([400, "invalid_argument", reason]);
    });
  }

  test("a mask in snake_case is understood", async () => {
    const got = await update({
      pageComponentUpdate: { css_classes: ["a"] },
      update_mask: "css_classes",
    });
    expect([got.status, got.json.pageComponent?.cssClasses]).toEqual([200, ["a"]]);
  });

  test("a false member beside another of its group counts as not sent", async () => {
    const got = await create({
      allowAllGeographies: false,
      geoRestrictionsAllow: { countryCodes: ["de"] },
    });
    expect(got.status).toBe(200);
    expect(got.json.videoProtectionRuleset.geoRestrictionsAllow).toEqual({ countryCodes: ["DE"] });
  });
});
