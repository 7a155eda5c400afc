import { describe, expect, test } from "vitest";
import { reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { dataMembers } from "./data-members.ts";
import { blamedField, patchComponent, readComponent } from "./page-components.ts";

const marquee = await useMarquee();

/** On a page without a filter component. */
const ID = "image-help";
const NAMES = Object.keys(dataMembers);

/** Compares as text, because an own key `__proto__` is nothing that comparing objects sees. */
const expectSame = (got: unknown, want: unknown) =>
  expect(JSON.stringify(sorted(got))).toBe(JSON.stringify(sorted(want)));

describe("the nineteen data members", () => {
  test("are nineteen", () => expect(NAMES).toHaveLength(19));

  for (const [name, value] of Object.entries(dataMembers)) {
    test(`a component is switched to ${name}, which comes back unchanged, key for key`, async () => {
      const got = await patchComponent(marquee, ID, { type: name, [name]: value }, `type,${name}`);
      expect(got.status).toBe(200);
      expectSame(got.json.page_component[name], value);
      expect(Object.keys(got.json.page_component).filter((it) => NAMES.includes(it))).toEqual([
        name,
      ]);
      expect(got.json.page_component.type).toBe(name);

      const stored = (await readComponent(marquee, ID)).json.page_components[0];
      expect(stored.type).toBe(name);
      expectSame(stored.data, value);
    });
  }

  for (const name of NAMES.filter((it) => !/^player_|_player$/.test(it))) {
    test(`${name} may be an empty object`, async () => {
      const got = await patchComponent(marquee, ID, { type: name, [name]: {} }, `type,${name}`);
      expect(got.status).toBe(200);
      expect(got.json.page_component[name]).toBeDefined();
    });
  }

  test("naming a member replaces the whole of it, with nothing left of the old one", async () => {
    const rail = { filter: "a: b", card: { a: 1, b: { c: 2 } }, title: { en: "x" } };
    await patchComponent(marquee, ID, { type: "rail", rail }, "type,rail");
    const got = await patchComponent(marquee, ID, { rail: { card: { b: {} } } }, "rail");
    expect(got.json.page_component.rail).toMatchObject({ filter: "", title: {} });
    expect(got.json.page_component.rail.card).toEqual({ b: {} });
  });

  for (const [name, a, b] of [
    ["content_grid", "reference", "inline"],
    ["creative_work_player", "id", "query"],
    ["event_player", "id", "query"],
  ] as const) {
    test(`${name} takes ${a} or ${b}, not both`, async () => {
      const values = { id: "{id}", query: { q: 1 }, reference: { r: 1 }, inline: { i: 1 } };
      for (const one of [a, b]) {
        const update = { type: name, [name]: { [one]: values[one] } };
        const got = await patchComponent(marquee, ID, update, `type,${name}`);
        expect(got.json.page_component[name][one]).toEqual(values[one]);
        expect(got.json.page_component[name][one === a ? b : a]).toBeUndefined();
      }
      const both = { type: name, [name]: { [a]: values[a], [b]: values[b] } };
      const got = await patchComponent(marquee, ID, both, `type,${name}`);
      expect([got.status, reasonOf(got)]).toEqual([400, "ONEOF_CONFLICT"]);
    });
  }
});

describe("objects without a published form", () => {
  const texts: readonly (readonly [what: string, json: string, id?: string, member?: string])[] = [
    ["a key __proto__", '{"__proto__":{"__proto__":null},"a":{"__proto__":1}}'],
    ["big and small numbers", '{"a":[1e308,-1e-308,0.1,123456789012345,1.7976931348623157e308]}'],
    ["escapes", '{"\\u0000\\"\\\\":"\\ud83d\\ude00\\b\\f\\n\\r\\t/"}'],
    ["nulls at every level", '{"a":null,"b":[null,{"c":null}]}'],
    ["empty keys and texts", '{"":"","a":{"":{}}}'],
    ["depth 40", '{"a":'.repeat(40).concat("1", "}".repeat(40))],
    ["depth 90", '{"a":'.repeat(90).concat("1", "}".repeat(90)), "html-player", "html"],
    ["arrays of depth 90", `{"a":${"[".repeat(89)}${"]".repeat(89)}}`, "footer-home", "footer"],
  ];
  for (const [what, json, id = "faq-help", member = "faq"] of texts) {
    test(`come back unchanged with ${what}, now and when they are read again`, async () => {
      const patch = (mask: string) =>
        send("PATCH", `${marquee.url}/ott/page_components/v2/${id}`, {
          token: marquee.tokens.owner,
          body: `{"page_component_update":{"name":"n","${member}":${json}},"update_mask":"${mask}"}`,
        });
      const want = JSON.stringify(JSON.parse(json));
      const got = await patch(member);
      expect(got.status).toBe(200);
      expect(JSON.stringify(got.json.page_component[member])).toBe(want);
      const later = await patch("name");
      expect(later.status).toBe(200);
      expect(JSON.stringify(later.json.page_component[member])).toBe(want);
    });
  }
});

describe("exactly one data member", () => {
  const both = { rail: { filter: "a: b" }, text: { en: "x" } };
  for (const [what, update, mask] of [
    ["two in the body, both in the mask", both, "type,rail,text"],
    ["two in the body, one in the mask", { ...both, type: "rail" }, "type,rail"],
    ["two in the body, none in the mask", { ...both, name: "x" }, "name"],
    ["one in the body, two in the mask", { text: { en: "x" }, type: "text" }, "type,rail,text"],
    ["none in the body, two in the mask", {}, "rail,text"],
    ["the two versions of one kind", { calendar: {}, calendar_v2: {} }, "calendar"],
    ["empty objects", { faq: {}, html: {} }, "faq"],
  ] as const) {
    test(`${what}: 400, and nothing is written`, async () => {
      const before = await readComponent(marquee, ID);
      const got = await patchComponent(marquee, ID, update, mask);
      expect([got.status, got.json.code]).toEqual([400, 3]);
      expect(reasonOf(got)).toBe("ONEOF_CONFLICT");
      expect((await readComponent(marquee, ID)).text).toBe(before.text);
    });
  }

  test("a member that is null does not count as sent", async () => {
    const update = { type: "text", text: { a: 1 }, rail: null, faq: null };
    const got = await patchComponent(marquee, ID, update, "type,text");
    expect([got.status, got.json.page_component?.text]).toEqual([200, { a: 1 }]);
  });

  for (const [what, update] of [
    ["left out", {}],
    ["null", { faq: null }],
    ["left out with its type", { type: "faq" }],
  ] as const) {
    test(`the only member, ${what}, cannot be cleared`, async () => {
      const before = await readComponent(marquee, "faq-help");
      const got = await patchComponent(marquee, "faq-help", update, "faq");
      expect([got.status, reasonOf(got)]).toEqual([400, "DATA_MEMBER_REQUIRED"]);
      expect((await readComponent(marquee, "faq-help")).text).toBe(before.text);
    });
  }
});

describe("the type", () => {
  const refused: readonly (readonly [string, string, unknown, string])[] = [
    ["a switch without the type in the mask", "faq-help", { text: {} }, "text"],
    ["a type in the body that the mask leaves out", "faq-help", { text: {}, type: "text" }, "text"],
    ["the type of another member", "faq-help", { type: "rail" }, "type"],
    ["an unknown type", "faq-help", { type: "carousel" }, "type"],
    ["the member's name in camelCase", "calendar-home", { type: "calendarV2" }, "type"],
    ["no type", "faq-help", {}, "type"],
    ["the alias of rail on another member", "faq-help", { type: "content_carousel" }, "type"],
    [
      "the alias of rail in a switch to another member",
      "faq-help",
      { type: "content_carousel", content_grid: {} },
      "type,content_grid",
    ],
  ];
  for (const [what, id, update, mask] of refused) {
    test(`${what} is refused, and the answer says to put type into the mask`, async () => {
      const before = await readComponent(marquee, id);
      const got = await patchComponent(marquee, id, update, mask);
      expect([got.status, reasonOf(got)]).toEqual([400, "TYPE_MISMATCH"]);
      expect(blamedField(got)).toBe("page_component_update.type");
      expect(got.json.message).toContain("update_mask");
      expect((await readComponent(marquee, id)).text).toBe(before.text);
    });
  }

  test("content_carousel is kept with a rail that changes", async () => {
    const got = await patchComponent(marquee, "rail-team-matches", { rail: { limit: 3 } }, "rail");
    expect(got.status).toBe(200);
    expect(got.json.page_component).toMatchObject({ type: "content_carousel", rail: { limit: 3 } });
  });

  test("content_carousel is allowed for a rail and kept", async () => {
    const patch = (update: unknown, mask: string) =>
      patchComponent(marquee, "rail-team-players", update, mask);
    for (const [update, mask] of [
      [{ type: "content_carousel" }, "type"],
      [{ name: "Renamed" }, "name"],
      [{ type: "content_carousel", rail: {} }, "type,rail"],
    ] as const) {
      const got = await patch(update, mask);
      expect([got.status, got.json.page_component?.type]).toEqual([200, "content_carousel"]);
    }
    const back = await patch({ type: "rail" }, "type");
    expect([back.status, back.json.page_component.type]).toEqual([200, "rail"]);
  });
});

function sorted(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(sorted);
  if (typeof json !== "object" || json === null) return json;
  return Object.entries(json)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, sorted(value)]);
}
