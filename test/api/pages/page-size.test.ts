import { toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import { checkPageSize, MOST_PAGE_BYTES } from "../../../src/domain/pages/components/layout.ts";
import { rejection, send } from "../../harness/http.ts";
import { rejection as rejects } from "../../harness/rejection.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { DEMO } from "../releases/releases.ts";

const { store, tokens, url } = await useMarquee();
const PATH = "/ott/page_components/v2";

const call = (method: string, path: string, body?: object) =>
  send(method, `${url}${path}`, { token: tokens.owner, ...(body && { body }) });

/** A rail of 3.5 MB: seven values of the most characters. */
const large = () => {
  const part = { text: "x".repeat(500_000) };
  const names = ["card", "card_thumbnail", "card_styling", "background", "arrows", "see_all"];
  return {
    type: "BASE_TYPE_EVENT",
    ...Object.fromEntries([...names, "theme"].map((name) => [name, part])),
  };
};

const create = (page: string, rail: object) =>
  call("POST", `${PATH}?page_id=${page}`, { project_id: "worldcup", type: "rail", rail });

test("the components of a page have at most 64 MiB together, created or changed", async () => {
  const page = { project_id: "worldcup", slug: "large" };
  expect((await call("POST", "/ott/pages/v1?page_id=large", page)).status).toBe(200);
  const ids: string[] = [];
  for (let count = 0; count < 19; count += 1) {
    const got = await create("large", large());
    expect(got.status).toBe(200);
    ids.push(got.json.page_component.id);
  }
  expect(rejection(await create("large", large()))).toEqual([400, "PAGE_TOO_LARGE"]);
  const small = await create("large", { type: "BASE_TYPE_EVENT" });
  const path = `${PATH}/${small.json.page_component.id}`;
  const growth = { page_component_update: { rail: large() }, update_mask: "rail" };
  expect(rejection(await call("PATCH", path, growth))).toEqual([400, "PAGE_TOO_LARGE"]);
  expect((await call("DELETE", `${PATH}/${ids[0]}`)).status).toBe(200);
  expect((await call("PATCH", path, growth)).status).toBe(200);
});

test("a batch of components has at most 4 MiB, as stored", async () => {
  const page = { project_id: "worldcup", slug: "batch" };
  expect((await call("POST", "/ott/pages/v1?page_id=batch", page)).status).toBe(200);
  const { pageComponents } = store.in(DEMO.organizationId);
  const measure = async (id: string) =>
    toBinary(PageComponentSchema, (await pageComponents.get(id)).value).length;
  const { id: first } = (await create("batch", large())).json.page_component;
  const fill = (length: number) => ({
    type: "BASE_TYPE_EVENT",
    card: { text: "x".repeat(length) },
    theme: { text: "x".repeat(300_000) },
  });
  const { id: second } = (await create("batch", fill(350_000))).json.page_component;
  const rest = 4 * 1024 * 1024 - (await measure(first)) - (await measure(second));
  const readBoth = async (length: number) => {
    const body = { page_component_update: { rail: fill(length) }, update_mask: "rail" };
    expect((await call("PATCH", `${PATH}/${second}`, body)).status).toBe(200);
    const path = `/ott/page_components/v1/batch?page_component_ids=${first},${second}`;
    return await call("GET", path);
  };
  expect((await readBoth(350_000 + rest)).json.page_components).toHaveLength(2);
  expect(rejection(await readBoth(350_001 + rest))).toEqual([429, "RESPONSE_TOO_LARGE"]);
});

test("a page of just 64 MiB is not too large", () => {
  checkPageSize(MOST_PAGE_BYTES);
  expect(() => checkPageSize(MOST_PAGE_BYTES + 1)).toThrow(
    rejects("PAGE_TOO_LARGE", undefined, { code: Code.FAILED_PRECONDITION }),
  );
});
