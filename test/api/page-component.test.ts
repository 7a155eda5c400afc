import { describe, expect, test } from "vitest";
import { reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { blamedField, patchComponent, readComponent } from "./page-components.ts";

const marquee = await useMarquee();

const ID = "text-home-notice";

describe("each field by itself", () => {
  const fields: readonly (readonly [name: string, value: unknown, cleared: unknown])[] = [
    ["name", 'Matches "of" the day 🏆', ""],
    ["environments", ["web", "androidtv"], []],
    ["visibility", "VISIBILITY_HIDDEN", "VISIBILITY_UNSPECIFIED"],
    ["group_id", "a-group-of-one", ""],
    ["css_classes", ["wide", "wide", "wide dark"], []],
    ["text", { en: "Good evening" }, undefined],
  ];

  for (const [name, value] of fields) {
    test(`${name} alone is changed and everything else stays`, async () => {
      const before = (await readComponent(marquee, ID)).json.page_components[0];
      const got = await patchComponent(marquee, ID, { [name]: value }, name);
      expect(got.status).toBe(200);
      expect(got.json.page_component[name]).toEqual(value);
      const after = (await readComponent(marquee, ID)).json.page_components[0];
      expect(after).toEqual({ ...before, [name === "text" ? "data" : name]: value });
    });
  }

  for (const [name, value, cleared] of fields.filter(([, , it]) => it !== undefined)) {
    for (const absence of [{}, { [name]: null }]) {
      test(`${name} named by the mask and sent as ${JSON.stringify(absence)} is cleared`, async () => {
        await patchComponent(marquee, ID, { [name]: value }, name);
        const got = await patchComponent(marquee, ID, absence, name);
        expect(got.status).toBe(200);
        expect(got.json.page_component[name]).toEqual(cleared);
      });
    }

    test(`${name} sent without being named by the mask is ignored`, async () => {
      const before = (await readComponent(marquee, ID)).json.page_components[0];
      const other = name === "name" ? "css_classes" : "name";
      const update = { [name]: value, [other]: before[other] };
      const got = await patchComponent(marquee, ID, update, other);
      expect(got.status).toBe(200);
      expect((await readComponent(marquee, ID)).json.page_components[0]).toEqual(before);
    });
  }

  test("a data member sent without being named by the mask is ignored", async () => {
    const before = (await readComponent(marquee, ID)).json.page_components[0];
    const got = await patchComponent(marquee, ID, { name: before.name, rail: {} }, "name");
    expect(got.status).toBe(200);
    expect((await readComponent(marquee, ID)).json.page_components[0]).toEqual(before);
  });

  test("id and project_id in the component that is sent are ignored", async () => {
    const update = { id: "other", project_id: "sandbox", name: "Kept" };
    const got = await patchComponent(marquee, ID, update, "name");
    expect(got.status).toBe(200);
    const { id, project_id, name } = got.json.page_component;
    expect([id, project_id, name]).toEqual([ID, "worldcup", "Kept"]);
  });

  test("several fields change together", async () => {
    const update = { name: "All", group_id: "g", css_classes: ["a"] };
    const got = await patchComponent(marquee, ID, update, "name,group_id,css_classes");
    expect(got.json.page_component).toMatchObject(update);
  });

  test("the answer is the whole component with its zero values and no other data member", async () => {
    const update = { text: {}, environments: [], group_id: "", css_classes: [] };
    const mask = "text,environments,group_id,css_classes,name,visibility";
    const got = await patchComponent(marquee, ID, update, mask);
    expect(got.json).toEqual({
      page_component: {
        id: ID,
        project_id: "worldcup",
        name: "",
        type: "text",
        environments: [],
        visibility: "VISIBILITY_UNSPECIFIED",
        group_id: "",
        css_classes: [],
        text: {},
      },
    });
  });
});

describe("enumerated values", () => {
  for (const name of ["web", "ios", "android", "tvos", "lg", "samsung", "androidtv"]) {
    test(`the environment ${name} is allowed`, async () => {
      const got = await patchComponent(marquee, ID, { environments: [name] }, "environments");
      expect(got.json.page_component.environments).toEqual([name]);
    });
  }

  for (const name of ["Web", "roku", "", " web"]) {
    test(`the environment "${name}" is refused and nothing is written`, async () => {
      const before = await readComponent(marquee, ID);
      const update = { environments: ["web", name] };
      const got = await patchComponent(marquee, ID, update, "environments");
      expect([got.status, reasonOf(got)]).toEqual([400, "ENVIRONMENT_UNKNOWN"]);
      expect(blamedField(got)).toBe("page_component_update.environments");
      expect((await readComponent(marquee, ID)).text).toBe(before.text);
    });
  }

  for (const name of ["UNSPECIFIED", "PUBLISHED", "UNLISTED", "HIDDEN"]) {
    test(`VISIBILITY_${name} is stored and given back`, async () => {
      const visibility = `VISIBILITY_${name}`;
      const got = await patchComponent(marquee, ID, { visibility }, "visibility");
      expect(got.json.page_component.visibility).toBe(visibility);
    });
  }

  for (const visibility of ["PUBLISHED", "visibility_hidden", "", "VISIBILITY_SECRET"]) {
    test(`the visibility ${JSON.stringify(visibility)} is refused by name`, async () => {
      const got = await patchComponent(marquee, ID, { visibility }, "name");
      expect([got.status, reasonOf(got)]).toEqual([400, "ENUM_UNKNOWN"]);
      expect(blamedField(got)).toBe("page_component_update.visibility");
    });
  }

  test("the number of an enum value is refused: enumerations are exact names", async () => {
    const got = await patchComponent(marquee, ID, { visibility: 2 }, "visibility");
    expect([got.status, reasonOf(got)]).toEqual([400, "VALUE_INVALID"]);
  });
});

describe("the component's id", () => {
  const patch = (path: string, body: unknown) =>
    send("PATCH", `${marquee.url}/ott/page_components/v2/${path}`, {
      token: marquee.tokens.owner,
      body,
    });
  const rest = { page_component_update: { name: "By another id" }, update_mask: "name" };

  for (const id of ["rail-home-matches", "", "TEXT-HOME-NOTICE", "text-home-notice "]) {
    test(`"${id}" in the body and ${ID} in the path are refused`, async () => {
      const before = await readComponent(marquee, ID);
      const got = await patch(ID, { ...rest, page_component_id: id });
      expect([got.status, reasonOf(got)]).toEqual([400, "PATH_BODY_MISMATCH"]);
      expect(blamedField(got)).toBe("page_component_id");
      expect((await readComponent(marquee, ID)).text).toBe(before.text);
    });
  }

  test("a number in the body is refused", async () => {
    const got = await patch(ID, { ...rest, page_component_id: 7 });
    expect([got.status, blamedField(got)]).toEqual([400, "page_component_id"]);
  });

  test("an id that does not exist is 404 and named", async () => {
    const got = await patch("nothing-here", { ...rest, page_component_id: "nothing-here" });
    expect([got.status, reasonOf(got)]).toEqual([404, "RESOURCE_NOT_FOUND"]);
    expect(got.json.message).toContain("nothing-here");
  });

  test("an update that is missing is refused by name", async () => {
    for (const update of [undefined, null]) {
      const got = await patchComponent(marquee, ID, update, "name");
      expect([got.status, reasonOf(got)]).toEqual([400, "FIELD_REQUIRED"]);
      expect(blamedField(got)).toBe("page_component_update");
    }
  });
});
