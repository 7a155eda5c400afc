import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf, refusal, send } from "../../harness/http.ts";
import { startMarquee } from "../../harness/marquee.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { blamedField } from "../pages/page-components.ts";

const marquee = await useMarquee();

const patch = (body: unknown, { query = "", headers = {}, project = "worldcup" } = {}) =>
  send("PATCH", `${marquee.url}/iam/users/v1/sso/${project}${query}`, {
    token: marquee.tokens.owner,
    headers,
    body,
  });

test("the list is replaced, in the order sent", async () => {
  for (const audiences of [["b", "a", "C"], ["https://a.example/?x=1"], ["é 😀", " padded "]]) {
    const got = await patch({ project_id: "worldcup", audiences });
    expect([got.status, got.json]).toEqual([
      200,
      { integration: { project_id: "worldcup", audiences } },
    ]);
  }
});

test("a project without an integration gets one", async () => {
  const got = await patch({ project_id: "sandbox", audiences: ["a"] }, { project: "sandbox" });
  expect(got.json).toEqual({ integration: { project_id: "sandbox", audiences: ["a"] } });
  expect(got.headers.get("etag")).toMatch(/^".+"$/);
});

describe("audiences: at least one, none twice, none blank", () => {
  for (const audiences of [undefined, null, [], [""], ["a", " "], ["a", "\t\n"], ["a", "b", "a"]]) {
    test(`${JSON.stringify(audiences)} is refused, and nothing is written`, async () => {
      const tag = (await patch({ audiences: ["kept"] })).headers.get("etag") ?? "";
      const got = await patch({ project_id: "worldcup", audiences });
      expect([got.status, got.json.code, blamedField(got)]).toEqual([400, 3, "audiences"]);
      expect((await patch({ audiences: ["x"] }, { headers: { "if-match": tag } })).status).toBe(
        200,
      );
    });
  }

  for (const audiences of ["a", { 0: "a" }, [1], [null], [["a"]]]) {
    test(`${JSON.stringify(audiences)} has the wrong type`, async () => {
      const got = await patch({ audiences });
      expect(refusal(got)).toEqual([400, "VALUE_INVALID"]);
      expect(blamedField(got)).toMatch(/^audiences/);
    });
  }
});

describe("any query parameter is taken and ignored", () => {
  const queries = [
    "?validate=true",
    "?a=1&a=2&b",
    "?project_id=sandbox&audiences=x",
    "?%zz=%ff&&=",
  ];
  for (const query of queries) {
    test(query, async () => {
      const got = await patch({ project_id: "worldcup", audiences: ["q"] }, { query });
      expect(got.json).toEqual({ integration: { project_id: "worldcup", audiences: ["q"] } });
    });
  }
});

test("an unknown field in the body is refused all the same", async () => {
  const got = await patch({ audiences: ["a"], issuer: "x" });
  expect([got.status, reasonOf(got), blamedField(got)]).toEqual([400, "FIELD_UNKNOWN", "issuer"]);
});

test("a project in the body that differs from the path's is refused", async () => {
  expect(refusal(await patch({ project_id: "sandbox", audiences: ["a"] }))).toEqual([
    400,
    "PATH_BODY_MISMATCH",
  ]);
});

test("a project that does not exist is 404", async () => {
  expect(refusal(await patch({ audiences: ["a"] }, { project: "nothing" }))).toEqual([
    404,
    "RESOURCE_NOT_FOUND",
  ]);
});

test("only the path's last word sso is known", async () => {
  const got = await send("PATCH", `${marquee.url}/iam/users/v1/oidc/worldcup`, {
    token: marquee.tokens.owner,
    body: { audiences: ["a"] },
  });
  expect([got.status, got.json.code]).toEqual([404, 5]);
});

test("If-Match holds for the current tag only", async () => {
  const tag = (await patch({ audiences: ["one"] })).headers.get("etag") ?? "";
  const stale = await patch({ audiences: ["two"] }, { headers: { "if-match": '"stale"' } });
  expect([stale.status, reasonOf(stale), metadataOf(stale)?.etag]).toEqual([
    ...[409, "ETAG_MISMATCH", tag],
  ]);
  const got = await patch({ audiences: ["two"] }, { headers: { "if-match": tag } });
  expect(got.status).toBe(200);
  expect(got.headers.get("etag")).not.toBe(tag);
});

test("If-Match for a project without an integration does not hold, not even as *", async () => {
  const fresh = await startMarquee();
  try {
    expect(
      refusal(
        await send("PATCH", `${fresh.url}/iam/users/v1/sso/sandbox`, {
          token: fresh.tokens.owner,
          headers: { "if-match": "*" },
          body: { audiences: ["a"] },
        }),
      ),
    ).toEqual([409, "ETAG_MISMATCH"]);
  } finally {
    await fresh.close();
  }
});
