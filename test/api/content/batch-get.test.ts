import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf, send } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { patchComponent } from "../pages/pages.ts";

const marquee = await useMarquee();

const get = (query: string, role: keyof Marquee["tokens"] = "owner") =>
  send("GET", `${marquee.url}/ott/page_components/v1/batch?${query}`, {
    token: marquee.tokens[role],
  });
const NAME = "page_component_ids";
const A = "rail-home-matches";
const B = "banner-home";
const C = "sandbox-text-home";

describe("the response", () => {
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

  test("shows components of every visibility, as the Studio API does", async () => {
    const got = await get(`${NAME}=rail-home-draft,text-home-notice`);
    expect(got.json.page_components.map((it: { visibility: string }) => it.visibility)).toEqual([
      "VISIBILITY_HIDDEN",
      "VISIBILITY_UNLISTED",
    ]);
  });
});

const many = (count: number) => Array.from({ length: count }, (_, index) => `none-${index}`).join();
const FOREIGN = "elsewhere-rail-home";

// Ids that do not exist or are not visible fail the whole call, all of them named.
test.each<[query: string, role: keyof Marquee["tokens"], want: string, named?: string]>([
  ...["", `${NAME}=`, `${NAME}=,`, `${NAME}=${A},`, `${NAME}=${A},,${B}`].map(
    (query): [string, "owner", string] => [query, "owner", "400"],
  ),
  [`${NAME}=${many(100)}`, "owner", "404 RESOURCE_NOT_FOUND", many(100)],
  [`${NAME}=${many(101)}`, "owner", "400 BATCH_SIZE_INVALID"],
  [`${NAME}=${A},no-1,${B},no-2`, "owner", "404 RESOURCE_NOT_FOUND", "no-1,no-2"],
  [`${NAME}=${A},${FOREIGN}`, "owner", "404 RESOURCE_NOT_FOUND", FOREIGN],
  [`${NAME}=${A},${C}`, "outsider", "404 RESOURCE_NOT_FOUND", `${A},${C}`],
  [`${NAME}=${A},${C},no-1`, "editor", "404 RESOURCE_NOT_FOUND", `${C},no-1`],
  [`${NAME}=page-home,${A}`, "owner", "404 RESOURCE_NOT_FOUND", "page-home"],
  [`${NAME}=${A.toUpperCase()}`, "owner", "404 RESOURCE_NOT_FOUND", A.toUpperCase()],
])("%s asked by the %s is %s %s", async (query, role, want, named) => {
  const got = await get(query, role);
  const [status, reason] = want.split(" ");
  expect(got.status).toBe(Number(status));
  if (reason !== undefined) expect(reasonOf(got)).toBe(reason);
  if (named === undefined) expect(`${metadataOf(got)?.field}`).toContain(NAME);
  else expect(metadataOf(got)?.ids).toBe(named);
  expect(got.json.page_components).toBeUndefined();
});

test("what exists elsewhere and what exists nowhere cannot be distinguished", async () => {
  const [there, nowhere] = await Promise.all(
    ["elsewhere-rail-home", "elsewhere-rail-nope"].map((id) => get(`${NAME}=${id}`)),
  );
  expect(there?.text.replaceAll("-home", "")).toBe(nowhere?.text.replaceAll("-nope", ""));
});

test("an id that is there 150 times counts once", async () => {
  const got = await get(`${NAME}=${Array(150).fill(A).join(",")}`);
  expect([got.status, got.json.page_components.length]).toEqual([200, 1]);
});
