import { afterAll, describe, expect, test } from "vitest";
import { Viewers } from "../../src/api/delivery/viewers.ts";
import {
  openViewerTokens,
  type VerifiedViewer,
  type ViewerIdentity,
} from "../../src/auth/viewer-token.ts";
import { Code, DomainError } from "../../src/domain/base/errors.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { ALPHA, BETA, createSmallDataset } from "../storage/small-dataset.ts";
import { createDeliveryCall } from "./calls.ts";

const NOW = new Date("2026-06-01T12:00:00Z");
const fresh = await openFresh(createSmallDataset());
afterAll(() => fresh.close());
const viewerTokens = await openViewerTokens(fresh.store, NOW);
const sign = (viewer: ViewerIdentity, seconds = 60) =>
  viewerTokens.sign(viewer, NOW, new Date(NOW.getTime() + seconds * 1_000));

const OWN = await sign({ projectId: ALPHA, userId: "ann" });
const FOREIGN = await sign({ projectId: BETA, userId: "ann" });
const EXPIRED = await sign({ projectId: ALPHA, userId: "ann" }, -1);

const call = (headers: Record<string, string>, viewer?: VerifiedViewer) =>
  createDeliveryCall(headers, { now: NOW, address: "2001:db8::1" }, viewer);

const viewers = new Viewers(viewerTokens, { findCountry: () => "FR", findVpn: () => true });

describe("the user is that of the viewer token", () => {
  const cases: readonly (readonly [string, Record<string, string>, string | undefined])[] = [
    ["of the cookie", { cookie: `viewer_token=${OWN}` }, "ann"],
    ["of a cookie among others", { cookie: `a=b; viewer_token=${OWN};c="d"` }, "ann"],
    ["in quotes", { cookie: `viewer_token="${OWN}"` }, "ann"],
    ["of the first cookie", { cookie: `viewer_token=${OWN}; viewer_token=x` }, "ann"],
    ["of no cookie", {}, undefined],
    ["of an empty cookie", { cookie: "viewer_token=" }, undefined],
    ["of a cookie without a value", { cookie: "viewer_token" }, undefined],
    ["of another cookie", { cookie: `viewer_token2=${OWN}; xviewer_token=${OWN}` }, undefined],
    ["of a cookie in another case", { cookie: `Viewer_Token=${OWN}` }, undefined],
  ];
  for (const [name, headers, want] of cases) {
    test(name, async () => expect((await viewers.find(call(headers))).userId).toBe(want));
  }

  test("in the Authorization header, whatever the cookie says", async () => {
    const viewer = { projectId: ALPHA, userId: "bob", expireTime: NOW };
    for (const token of [OWN, FOREIGN, "x"]) {
      expect((await viewers.find(call({ cookie: `viewer_token=${token}` }, viewer))).userId).toBe(
        "bob",
      );
    }
  });
});

describe("a cookie that does not hold counts as none, and why is known", () => {
  const cases: readonly (readonly [string, string])[] = [
    [EXPIRED, "TOKEN_EXPIRED"],
    [FOREIGN, "AUDIENCE_NOT_ALLOWED"],
    ["x", "TOKEN_MALFORMED"],
    [`${OWN.slice(0, -8)}AAAAAAAA`, "SIGNATURE_INVALID"],
  ];
  for (const [token, reason] of cases) {
    test(reason, async () => {
      const got = await viewers.find(call({ cookie: `viewer_token=${token}` }));
      expect([got.userId, got.tokenError?.reason]).toEqual([undefined, reason]);
    });
  }
});

test("a token that cannot be checked is no token that does not hold: the call fails", async () => {
  const errors = [
    new Error("broken"),
    new DomainError(Code.UNAVAILABLE, "DATABASE_UNAVAILABLE", "database unavailable"),
  ];
  for (const error of errors) {
    const broken = new Viewers(
      { verify: () => Promise.reject(error) },
      { findCountry: () => undefined, findVpn: () => undefined },
    );
    await expect(broken.find(call({ cookie: `viewer_token=${OWN}` }))).rejects.toBe(error);
  }
});

test("the place and the referrer are shown, and the response is nobody else's", async () => {
  const context = call({ referer: "https://site.example/watch?v=1" });
  expect(await viewers.find(context)).toEqual({
    address: "2001:db8::1",
    country: "FR",
    vpn: true,
    referrer: "https://site.example/watch?v=1",
    userId: undefined,
    tokenError: undefined,
  });
  expect(context.freshness.isPersonal).toBe(true);
  expect((await viewers.find(call({}))).referrer).toBe(undefined);
});
