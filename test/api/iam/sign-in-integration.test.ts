import { expect, test } from "vitest";
import { metadataOf, reasonOf, rejection, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callRest } from "../studio.ts";

const marquee = await useMarquee();

const patch = (body: unknown, { query = "", headers = {}, project = "worldcup" } = {}) =>
  callRest(marquee, "PATCH", `iam/users/v1/sso/${project}${query}`, body, headers);

test.each(["", "?validate=true&a=1&a=2&b", "?project_id=sandbox&audiences=x", "?%zz=%ff&&="])(
  "the list is replaced, in the order sent; a query is ignored: %s",
  async (query) => {
    for (const audiences of [["b", "a", "C"], ["https://a.example/?x=1"], ["é 😀", " padded "]]) {
      const got = await patch({ project_id: "worldcup", audiences }, { query });
      const integration = { project_id: "worldcup", audiences };
      expect([got.status, got.json]).toEqual([200, { integration }]);
    }
  },
);

test.each<[body: unknown, status: number, reason: string, field?: string]>([
  [{ audiences: [] }, 400, "FIELD_REQUIRED", "audiences"],
  [{ audiences: null }, 400, "FIELD_REQUIRED", "audiences"],
  [{ audiences: ["a", "\t\n"] }, 400, "AUDIENCES_INVALID", "audiences"],
  [{ audiences: ["a", "b", "a"] }, 400, "AUDIENCES_INVALID", "audiences"],
  [{ audiences: "a" }, 400, "VALUE_INVALID", "audiences"],
  [{ audiences: [1] }, 400, "VALUE_INVALID", "audiences[0]"],
  [{ audiences: ["a"], issuer: "x" }, 400, "FIELD_UNKNOWN", "issuer"],
  [{ audiences: ["a"], project_id: "sandbox" }, 400, "PATH_BODY_MISMATCH", "project_id"],
])("%j is rejected, and nothing is written: %s %s", async (body, status, reason, field) => {
  const tag = (await patch({ audiences: ["kept"] })).headers.get("etag") ?? "";
  const got = await patch(body);
  expect([...rejection(got), metadataOf(got)?.field]).toEqual([status, reason, field]);
  const headers = { "if-match": tag };
  expect((await patch({ audiences: ["x"] }, { headers })).status).toBe(200);
});

test("a project that does not exist, and a path with another last word are not found", async () => {
  const body = { audiences: ["a"] };
  expect(rejection(await patch(body, { project: "nothing" }))).toEqual([404, "RESOURCE_NOT_FOUND"]);
  const url = `${marquee.url}/iam/users/v1/oidc/worldcup`;
  const other = await send("PATCH", url, { token: marquee.tokens.owner, body });
  expect(rejection(other)).toEqual([404, "PATH_UNKNOWN"]);
});

test("If-Match holds for the current tag only, also for that of a project without one", async () => {
  const read = await callRest(marquee, "GET", "iam/users/v1/sso/sandbox");
  const etag = read.headers.get("etag") ?? "";
  const unset = { project: "sandbox", headers: { "if-match": etag } };
  const first = await patch({ audiences: ["a"] }, unset);
  expect(first.json.integration).toEqual({ project_id: "sandbox", audiences: ["a"] });
  expect(rejection(await patch({ audiences: ["b"] }, unset))).toEqual([409, "ETAG_MISMATCH"]);

  const tag = (await patch({ audiences: ["one"] })).headers.get("etag") ?? "";
  const stale = await patch({ audiences: ["two"] }, { headers: { "if-match": '"stale"' } });
  expect([reasonOf(stale), metadataOf(stale)?.etag]).toEqual(["ETAG_MISMATCH", tag]);
  const got = await patch({ audiences: ["two"] }, { headers: { "if-match": tag } });
  expect(got.status).toBe(200);
  expect(got.headers.get("etag")).not.toBe(tag);
});
