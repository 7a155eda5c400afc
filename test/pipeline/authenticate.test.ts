import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { AccessTokenSchema } from "../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { ProjectSchema } from "../../gen/svc/studio/iam/project/v1/project_pb.ts";
import { authenticate } from "../../src/api/steps/authenticate.ts";
import { ProjectKeys } from "../../src/api/steps/project-keys.ts";
import { toResponseKey } from "../../src/api/steps/response-encryption.ts";
import { createToken, hashToken } from "../../src/auth/token.ts";
import { openViewerTokens } from "../../src/auth/viewer-token.ts";
import { revokeAccessToken } from "../../src/domain/access/access-token.ts";
import { Code, DomainError } from "../../src/domain/base/errors.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { override } from "../harness/override.ts";
import { keepProjectKey } from "../storage/project-key.ts";
import { ALPHA, createSmallDataset } from "../storage/small-dataset.ts";

type CallerKind = "account" | "project";

const NOW = new Date("2026-01-01T12:00:00Z");
const EXPIRED = new Date(NOW.getTime());

const fresh = await openFresh(createSmallDataset());
const { access } = fresh.store;
const { documents } = fresh.store.in("acme");
const END = new Date(NOW.getTime() + 60_000);
const viewerTokens = await openViewerTokens(fresh.store, NOW);
const projectKeys = new ProjectKeys(fresh.store);
const sources = { access, projectKeys, viewerTokens };
const sign = (projectId: string) => viewerTokens.sign({ projectId, userId: "u" }, NOW, END);
/** Signs for a project that is deleted then, and whose id another one takes. */
async function signForGone(): Promise<string> {
  const gone = create(ProjectSchema, { id: "gone", organizationId: "acme" });
  await documents.project.create(gone);
  const token = await sign("gone");
  await documents.project.delete("gone", () => {});
  await fresh.store.in("other").documents.project.create({ ...gone, organizationId: "other" });
  return token;
}
const TOKENS = {
  good: createToken("access"),
  expired: createToken("access"),
  revoked: createToken("access"),
  unknown: createToken("access"),
  public: createToken("public"),
  preview: createToken("preview"),
  unknownPublic: createToken("public"),
  unknownPreview: createToken("preview"),
  viewer: await sign(ALPHA),
  viewerOfNothing: await signForGone(),
};
for (const id of ["good", "expired", "revoked"] as const) {
  const token = create(AccessTokenSchema, {
    ...{ id, accountId: "ann" },
    ...(id === "expired" && { expireTime: timestampFromDate(EXPIRED) }),
  });
  await documents.access_token.create(token, { hash: hashToken(TOKENS[id]) });
}
await documents.access_token.update("revoked", ({ value }) => revokeAccessToken(value, NOW));
await keepProjectKey(fresh.store, ALPHA, "public", hashToken(TOKENS.public));
await keepProjectKey(fresh.store, ALPHA, "preview", hashToken(TOKENS.preview));

describe("good credentials say who calls", () => {
  const account = {
    kind: "account",
    account: { id: "ann", organizationId: "acme" },
    isSession: false,
    responseKey: toResponseKey(TOKENS.good),
  };
  const key = (kind: string, found: object = {}) => ({
    kind: "project",
    key: { projectId: ALPHA, organizationId: "acme", kind, ...found },
  });
  const found = { revision: expect.any(Number) };
  const cases: readonly (readonly [string, CallerKind, string, unknown])[] = [
    ["an access token", "account", `Bearer ${TOKENS.good}`, account],
    ["another case of the scheme", "account", `bEARER ${TOKENS.good}`, account],
    ["more blanks", "account", `  Bearer    ${TOKENS.good} `, account],
    ["a public key", "project", `Bearer ${TOKENS.public}`, key("public", found)],
    ["a preview key", "project", `Bearer ${TOKENS.preview}`, key("preview", found)],
    [
      "a viewer token in the place of a public key",
      "project",
      `Bearer ${TOKENS.viewer}`,
      { ...key("public"), viewer: { projectId: ALPHA, userId: "u", expireTime: END } },
    ],
  ];
  for (const [name, expected, header, want] of cases) {
    test(name, async () => {
      expect(await authenticate(sources, expected, { authorization: header }, NOW)).toEqual(want);
    });
  }
});

describe("other credentials are UNAUTHENTICATED", () => {
  const both = ["account", "project"] as const;
  const accounts = ["account"] as const;
  const cases: readonly (readonly [string, readonly CallerKind[], string | null, string])[] = [
    ["no header", both, null, "CREDENTIALS_MISSING"],
    ["an empty header", both, "", "CREDENTIALS_MISSING"],
    ["a blank header", both, "  ", "CREDENTIALS_MISSING"],
    ["a scheme alone", both, "Bearer", "CREDENTIALS_MALFORMED"],
    ["a scheme and a blank", both, "Bearer ", "CREDENTIALS_MALFORMED"],
    ["another scheme", both, `Basic ${TOKENS.good}`, "CREDENTIALS_MALFORMED"],
    ["a token without a scheme", both, TOKENS.good, "CREDENTIALS_MALFORMED"],
    ["two tokens", both, `Bearer ${TOKENS.good} ${TOKENS.good}`, "CREDENTIALS_MALFORMED"],
    ["two headers in one", both, `Bearer ${TOKENS.good}, Bearer x`, "CREDENTIALS_MALFORMED"],
    ["a token of no kind", both, "Bearer abc", "CREDENTIALS_INVALID"],
    ["a JWT for an account", accounts, "Bearer eyJhbGciOiJub25lIn0.e30.", "CREDENTIALS_INVALID"],
    ["a JWT of nobody", ["project"], "Bearer eyJhbGciOiJub25lIn0.e30.", "TOKEN_MALFORMED"],
    ["two parts of a JWT", both, "Bearer eyJhbGciOiJub25lIn0.e30", "CREDENTIALS_INVALID"],
    ["no header of a JWT", both, "Bearer .e30.e30", "CREDENTIALS_INVALID"],
    ["a viewer token for an account", accounts, `Bearer ${TOKENS.viewer}`, "CREDENTIALS_INVALID"],
    [
      "a viewer token for a project that is gone",
      ["project"],
      `Bearer ${TOKENS.viewerOfNothing}`,
      "AUDIENCE_NOT_ALLOWED",
    ],
    ["a kind in another case", both, `Bearer ${TOKENS.good.toUpperCase()}`, "CREDENTIALS_INVALID"],
    ["an unknown token", accounts, `Bearer ${TOKENS.unknown}`, "CREDENTIALS_INVALID"],
    ["a prefix alone", accounts, "Bearer mqa_", "CREDENTIALS_INVALID"],
    ["a cut token", accounts, `Bearer ${TOKENS.good.slice(0, -1)}`, "CREDENTIALS_INVALID"],
    ["a longer token", accounts, `Bearer ${TOKENS.good}A`, "CREDENTIALS_INVALID"],
    ["an expired token", accounts, `Bearer ${TOKENS.expired}`, "CREDENTIALS_INVALID"],
    ["a revoked token", accounts, `Bearer ${TOKENS.revoked}`, "CREDENTIALS_INVALID"],
    ["a public key for an account", accounts, `Bearer ${TOKENS.public}`, "CREDENTIALS_WRONG_KIND"],
    [
      "a preview key for an account",
      accounts,
      `Bearer ${TOKENS.preview}`,
      "CREDENTIALS_WRONG_KIND",
    ],
    ["an access token for a key", ["project"], `Bearer ${TOKENS.good}`, "CREDENTIALS_WRONG_KIND"],
    ["an unknown public key", ["project"], `Bearer ${TOKENS.unknownPublic}`, "CREDENTIALS_INVALID"],
    [
      "an unknown preview key",
      ["project"],
      `Bearer ${TOKENS.unknownPreview}`,
      "CREDENTIALS_INVALID",
    ],
    [
      "a public key that says it is a preview key",
      ["project"],
      `Bearer ${TOKENS.public.replace("mqp_", "mqv_")}`,
      "CREDENTIALS_INVALID",
    ],
  ];
  for (const [name, kinds, header, reason] of cases) {
    test(`${name}: ${reason}`, async () => {
      for (const expected of kinds) {
        const error = await authenticate(sources, expected, { authorization: header }, NOW).catch(
          (it: unknown) => it,
        );
        if (!(error instanceof DomainError)) throw new Error("it was let in");
        expect([error.code, error.reason]).toEqual([Code.UNAUTHENTICATED, reason]);
        for (const token of Object.values(TOKENS)) expect(error.message).not.toContain(token);
      }
    });
  }

  test.each([
    ["unknown", /^the access token is unknown or deleted$/],
    ["expired", /^the access token expired at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
    ["revoked", /^the access token was revoked at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
  ] as const)("the message says why an access token is %s", async (name, message) => {
    const got = authenticate(sources, "account", { authorization: `Bearer ${TOKENS[name]}` }, NOW);
    await expect(got).rejects.toThrow(message);
  });

  test("a key that is kept under another kind than it says", async () => {
    const token = createToken("preview");
    await keepProjectKey(fresh.store, ALPHA, "public", hashToken(token));
    await expect(
      authenticate(sources, "project", { authorization: `Bearer ${token}` }, NOW),
    ).rejects.toMatchObject({
      reason: "CREDENTIALS_INVALID",
    });
  });
});

test("a database that is away is not the caller's error", async () => {
  const away = new DomainError(Code.UNAVAILABLE, "DATABASE_UNAVAILABLE", "away");
  const failing = {
    ...sources,
    access: override(access, { findAccount: () => Promise.reject(away) }),
  };
  await expect(
    authenticate(failing, "account", { authorization: `Bearer ${TOKENS.good}` }, NOW),
  ).rejects.toBe(away);
});
