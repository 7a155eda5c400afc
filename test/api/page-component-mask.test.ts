import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { patchComponent, readComponent } from "./page-components.ts";

const marquee = await useMarquee();

const ID = "rail-home-teams";
const ALLOWED = [
  ...["name", "type", "environments", "visibility", "group_id", "css_classes"],
  ...["banner_collection", "banner_collection_v2", "calendar", "calendar_v2", "rail"],
  ...["content_grid", "filter", "creative_work_player", "event_player", "offers"],
  ...["player_profile", "promotional_content", "sponsorship_collection", "standings", "faq"],
  ...["footer", "text", "image", "html"],
];

describe("a mask that is understood", () => {
  const masks: readonly (readonly [mask: string, changed: readonly string[]])[] = [
    ["name", ["name"]],
    ["name,css_classes", ["name", "css_classes"]],
    ["css_classes,name", ["name", "css_classes"]],
    ["  name ,\tcss_classes\n", ["name", "css_classes"]],
    ["name,name,css_classes,name", ["name", "css_classes"]],
    ["cssClasses", ["css_classes"]],
    ["cssClasses,css_classes", ["css_classes"]],
    ["groupId, name", ["group_id", "name"]],
  ];
  for (const [mask, changed] of masks) {
    test(`${JSON.stringify(mask)} changes ${changed.join(" and ")} only`, async () => {
      const values = { name: "N", css_classes: ["c"], group_id: "g", visibility: undefined };
      const before = (await readComponent(marquee, ID)).json.page_components[0];
      const got = await patchComponent(marquee, ID, values, mask);
      expect(got.status).toBe(200);
      const want = Object.fromEntries(
        Object.entries(values).filter(([name]) => changed.includes(name)),
      );
      const after = (await readComponent(marquee, ID)).json.page_components[0];
      expect(after).toEqual({ ...before, ...want });
      const old = { name: before.name, css_classes: before.css_classes, group_id: before.group_id };
      await patchComponent(marquee, ID, old, "name,css_classes,group_id");
    });
  }

  test("the body's fields may be spelled in either way, whatever the mask's spelling", async () => {
    const sent = await send("PATCH", `${marquee.url}/ott/page_components/v2/${ID}`, {
      token: marquee.tokens.owner,
      body: {
        pageComponentId: ID,
        pageComponentUpdate: { cssClasses: ["camel"], rail: { hideByDefault: true, see_all: {} } },
        updateMask: "css_classes,rail",
      },
    });
    expect(sent.status).toBe(200);
    expect(sent.json.page_component.css_classes).toEqual(["camel"]);
    expect(sent.json.page_component.rail).toMatchObject({ hide_by_default: true, see_all: {} });
  });
});

describe("a mask that is refused", () => {
  const masks: readonly string[] = [
    ...["", " ", "\t\n", ",", "name,", ",name", "name,,type"],
    ...["*", "name,*", "rail.filter", "rail.title.en", "name.", ".name", "page_component.name"],
    ...["nam", "Name", "NAME", "css-classes", "css_Classes", "data", "group id", "ｎame"],
    ...["id", "project_id", "projectId", "name,id", "id,project_id"],
    ...["__proto__", "constructor", "toString", "%2A", "content_carousel"],
  ];
  for (const mask of masks) {
    test(`${JSON.stringify(mask)} is refused with the list of the names that are allowed`, async () => {
      const before = await readComponent(marquee, ID);
      const update = { name: "Written", rail: { filter: "a: b" } };
      const got = await patchComponent(marquee, ID, update, mask);
      expect([got.status, got.json.code]).toEqual([400, 3]);
      expect(reasonOf(got)).toBe("UPDATE_MASK_INVALID");
      expect(metadataOf(got)?.allowed?.split(",")).toEqual(ALLOWED);
      expect(got.json.message).toContain("css_classes");
      expect((await readComponent(marquee, ID)).text).toBe(before.text);
    });
  }

  for (const mask of [undefined, null]) {
    test(`a mask that is ${mask === null ? "null" : "missing"} is refused with the list too`, async () => {
      const got = await patchComponent(marquee, ID, { name: "Written" }, mask);
      expect([got.status, reasonOf(got)]).toEqual([400, "UPDATE_MASK_INVALID"]);
      expect(metadataOf(got)?.allowed?.split(",")).toEqual(ALLOWED);
    });
  }

  for (const mask of [["name"], { paths: ["name"] }, 1, true]) {
    test(`${JSON.stringify(mask)} in the place of the mask's text is refused`, async () => {
      const got = await patchComponent(marquee, ID, { name: "Written" }, mask);
      expect([got.status, reasonOf(got)]).toEqual([400, "VALUE_INVALID"]);
      expect(metadataOf(got)?.field).toBe("update_mask");
    });
  }
});

describe("the mask over Connect", () => {
  const call = (updateMask: string | undefined) =>
    send(
      "POST",
      `${marquee.url}/svc.studio.ott.page_component.v2.PageComponentService/UpdatePageComponent`,
      {
        token: marquee.tokens.owner,
        headers: { "connect-protocol-version": "1" },
        body: { pageComponentId: ID, pageComponentUpdate: { name: "By Connect" }, updateMask },
      },
    );

  test("names in lowerCamelCase change their fields", async () => {
    const got = await call("name,cssClasses");
    expect(got.status).toBe(200);
    expect(got.json.pageComponent.name).toBe("By Connect");
    expect(got.json.pageComponent.cssClasses).toBeUndefined();
  });

  for (const mask of [undefined, "", "id", "rail.filter", "nothing"]) {
    test(`${JSON.stringify(mask)} is refused with the list of the names that are allowed`, async () => {
      const got = await call(mask);
      expect([got.status, got.json.code]).toEqual([400, "invalid_argument"]);
      expect(reasonOf(got)).toBe("UPDATE_MASK_INVALID");
      expect(metadataOf(got)?.allowed?.split(",")).toEqual(ALLOWED);
    });
  }
});
