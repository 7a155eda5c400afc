import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, describe, expect, test } from "vitest";
import { AccessTokenSchema } from "../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { authenticate, ProjectKeys } from "../../src/api/steps/authenticate.ts";
import { toResponseKey } from "../../src/api/steps/idempotency.ts";
import { createToken, hashToken } from "../../src/auth/token.ts";
import { openViewerTokens } from "../../src/auth/viewer-token.ts";
import { revokeAccessToken } from "../../src/domain/access/access-token.ts";
import { Code } from "../../src/domain/base/errors.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { keepProjectKey } from "../storage/project-key.ts";
import { ALPHA, createSmallDataset } from "../storage/small-dataset.ts";

/*
 * The forms of the Authorization header. test/api/iam/access.test.ts sends each method good credentials and those that
 * are unknown, expired, revoked or of the wrong kind.
 */

type CallerKind = "account" | "project";

const NOW = new Date("2026-01-01T12:00:00Z");
const END = new Date(NOW.getTime() + 60_000);

const fresh = await openFresh(createSmallDataset());
afterAll(() => fresh.close());
const { documents } = fresh.store.in("acme");
const viewerTokens = await openViewerTokens(fresh.store, NOW);
const sources = {
  access: fresh.store.access,
  projectKeys: new ProjectKeys(fresh.store),
  viewerTokens,
};
const TOKENS = {
  good: createToken("access"),
  expired: createToken("access"),
  revoked: createToken("access"),
  unknown: createToken("access"),
  public: createToken("public"),
  mislabeled: createToken("preview"),
  viewer: await viewerTokens.sign({ projectId: ALPHA, userId: "u" }, NOW, END),
};
for (const id of ["good", "expired", "revoked"] as const) {
  const end = id === "expired" && { expireTime: timestampFromDate(NOW) };
  const token = create(AccessTokenSchema, { id, accountId: "ann", ...end });
  await documents.access_token.create(token, { hash: hashToken(TOKENS[id]) });
}
await documents.access_token.update("revoked", ({ value }) => revokeAccessToken(value, NOW));
for (const token of [TOKENS.public, TOKENS.mislabeled]) {
  await keepProjectKey(fresh.store, ALPHA, "public", hashToken(token));
}

const readCaller = (expected: CallerKind, authorization: string | null) =>
  authenticate(sources, expected, { authorization }, NOW);

test("good credentials say who calls, whatever the case of the scheme and the blanks around", async () => {
  const key = { projectId: ALPHA, organizationId: "acme", kind: "public" };
  expect(await readCaller("account", `  bEARER    ${TOKENS.good} `)).toEqual({
    ...{ kind: "account", account: { id: "ann", organizationId: "acme" }, isSession: false },
    responseKey: toResponseKey(TOKENS.good),
  });
  expect(await readCaller("project", `Bearer ${TOKENS.public}`)).toEqual({
    ...{ kind: "project", key: { ...key, revision: expect.any(Number) } },
  });
  expect(await readCaller("project", `Bearer ${TOKENS.viewer}`)).toEqual({
    ...{ kind: "project", key },
    viewer: { projectId: ALPHA, userId: "u", expireTime: END },
  });
});

describe("other credentials are UNAUTHENTICATED", () => {
  const both = ["account", "project"] as const;
  const [account, project] = [["account"], ["project"]] as const;
  test.each<[what: string, readonly CallerKind[], header: string | null, reason: string]>([
    ["an empty header", both, "", "CREDENTIALS_MISSING"],
    ["a blank header", both, "  ", "CREDENTIALS_MISSING"],
    ["a scheme alone", both, "Bearer ", "CREDENTIALS_MALFORMED"],
    ["another scheme", both, `Basic ${TOKENS.good}`, "CREDENTIALS_MALFORMED"],
    ["two tokens", both, `Bearer ${TOKENS.good} ${TOKENS.good}`, "CREDENTIALS_MALFORMED"],
    ["two headers in one", both, `Bearer ${TOKENS.good}, Bearer x`, "CREDENTIALS_MALFORMED"],
    ["a token of no kind", both, "Bearer abc", "CREDENTIALS_INVALID"],
    ["a kind in another case", both, `Bearer ${TOKENS.good.toUpperCase()}`, "CREDENTIALS_INVALID"],
    ["a JWT for an account", account, "Bearer eyJhbGciOiJub25lIn0.e30.", "CREDENTIALS_INVALID"],
    ["a JWT of nobody", project, "Bearer eyJhbGciOiJub25lIn0.e30.", "TOKEN_MALFORMED"],
    ["two parts of a JWT", both, "Bearer eyJhbGciOiJub25lIn0.e30", "CREDENTIALS_INVALID"],
    ["no header of a JWT", both, "Bearer .e30.e30", "CREDENTIALS_INVALID"],
    ["a viewer token for an account", account, `Bearer ${TOKENS.viewer}`, "CREDENTIALS_INVALID"],
    [
      "a key that is kept under another kind than it says",
      ...[project, `Bearer ${TOKENS.mislabeled}`, "CREDENTIALS_INVALID"],
    ] as const,
  ])("%s", async (_, kinds, header, reason) => {
    for (const expected of kinds) {
      const got = readCaller(expected, header);
      await expect(got).rejects.toMatchObject({ code: Code.UNAUTHENTICATED, reason });
      const text = await got.catch((error: unknown) => String(error));
      for (const token of Object.values(TOKENS)) expect(text).not.toContain(token);
    }
  });

  test.each([
    ["unknown", /^the access token is unknown or deleted$/],
    ["expired", /^the access token expired at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
    ["revoked", /^the access token was revoked at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
  ] as const)("the message says why an access token is %s", async (name, message) => {
    await expect(readCaller("account", `Bearer ${TOKENS[name]}`)).rejects.toThrow(message);
  });
});
