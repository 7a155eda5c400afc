import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf, refusal, send } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { patchComponent } from "../pages/page-components.ts";

const marquee = await useMarquee();

const get = (query: string, role: keyof Marquee["tokens"] = "owner") =>
  send("GET", `${marquee.url}/ott/page_components/v1/batch?${query}`, {
    token: marquee.tokens[role],
  });
const NAME = "page_component_ids";
const A = "rail-home-matches";
const B = "banner-home";
const C = "sandbox-text-home";

describe("the answer", () => {
  for (const query of [
    `${NAME}=${B}&${NAME}=${C}&${NAME}=${A}`,
    `${NAME}=${B},${C},${A}`,
    `${NAME}=${B}%2C%20${C}&${NAME}=${A}`,
    `${NAME}=${B}&${NAME}=${C}&${NAME}=${B},${A},${C}`,
    `pageComponentIds=${B},${C}&${NAME}=${A}`,
  ]) {
    test(`to ${query} has the order asked, each once`, async () => {
      const got = await get(query);
      expect(got.status).toBe(200);
      expect(got.json.page_components.map((it: { id: string }) => it.id)).toEqual([B, C, A]);
    });
  }

  test("has the first version's shape: data is the member's object, props is empty", async () => {
    const got = await get(`${NAME}=${C}`);
    expect(got.json).toEqual({
      page_components: [
        {
          project_id: "sandbox",
          id: C,
          name: "Welcome",
          type: "text",
          data: { text: { en: "Welcome to Sandbox." } },
          props: {},
          environments: [],
          visibility: "VISIBILITY_PUBLISHED",
          group_id: "",
          css_classes: [],
        },
      ],
    });
  });

  test("gives the same data as the second version, with its names and zero values", async () => {
    const update = { rail: { limit: 7, card: { a: null } } };
    const { json } = await patchComponent(marquee, "rail-home-draft", update, "rail");
    const got = await get(`${NAME}=rail-home-draft`);
    expect(got.json.page_components[0].data).toEqual(json.page_component.rail);
    expect(got.json.page_components[0].data).toMatchObject({ hide_by_default: false, title: {} });
  });

  test("shows components of every visibility, as management does", async () => {
    const got = await get(`${NAME}=rail-home-draft,text-home-notice`);
    expect(got.json.page_components.map((it: { visibility: string }) => it.visibility)).toEqual([
      "VISIBILITY_HIDDEN",
      "VISIBILITY_UNLISTED",
    ]);
  });
});

describe("how many", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `none-${index}`);

  for (const query of ["", `${NAME}=`, `${NAME}=,`, `${NAME}=${A},`, `${NAME}=${A},,${B}`]) {
    test(`"${query}" is refused by name`, async () => {
      const got = await get(query);
      expect([got.status, got.json.code]).toEqual([400, 3]);
      expect(metadataOf(got)?.field).toContain(NAME);
    });
  }

  test("100 ids are looked up", async () => {
    expect(refusal(await get(`${NAME}=${many(100).join(",")}`))).toEqual([
      404,
      "RESOURCE_NOT_FOUND",
    ]);
  });

  test("101 ids are refused", async () => {
    const got = await get(`${NAME}=${many(101).join(",")}`);
    expect([got.status, got.json.code, reasonOf(got)]).toEqual([400, 3, "BATCH_SIZE_INVALID"]);
    expect(got.json.message).toContain("100");
  });

  test("an id that is there 150 times counts once", async () => {
    const got = await get(`${NAME}=${Array(150).fill(A).join(",")}`);
    expect([got.status, got.json.page_components.length]).toEqual([200, 1]);
  });
});

describe("ids that do not exist or are not visible fail the whole call, all of them named", () => {
  const rows: readonly (readonly [
    what: string,
    role: keyof Marquee["tokens"],
    asked: readonly string[],
    missing: readonly string[],
  ])[] = [
    ["unknown", "owner", [A, "no-1", B, "no-2"], ["no-1", "no-2"]],
    ["of another organization", "owner", [A, "elsewhere-rail-home"], ["elsewhere-rail-home"]],
    ["of all projects of another organization", "outsider", [A, C], [A, C]],
    ["of a project without a role", "editor", [A, C, "no-1"], [C, "no-1"]],
    [
      "of another kind",
      "owner",
      ["page-home", "goal-2026-104-1"],
      ["page-home", "goal-2026-104-1"],
    ],
    ["in another case", "owner", [A.toUpperCase()], [A.toUpperCase()]],
  ];
  for (const [what, role, asked, missing] of rows) {
    test(what, async () => {
      const got = await get(`${NAME}=${asked.join(",")}`, role);
      expect([got.status, got.json.code, reasonOf(got)]).toEqual([404, 5, "RESOURCE_NOT_FOUND"]);
      expect(metadataOf(got)?.ids?.split(",")).toEqual(missing);
      expect(got.text).not.toContain("page_components");
    });
  }

  test("what exists elsewhere and what exists nowhere cannot be told apart", async () => {
    const [there, nowhere] = await Promise.all(
      ["elsewhere-rail-home", "elsewhere-rail-nope"].map((id) => get(`${NAME}=${id}`)),
    );
    expect(there?.text.replaceAll("-home", "")).toBe(nowhere?.text.replaceAll("-nope", ""));
  });
});
