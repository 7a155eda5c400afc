import { createContextValues, type HandlerContext } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { callerKey, requestKey } from "../../src/auth/caller.ts";
import { createFindViewer } from "../../src/auth/find-viewer.ts";
import { refuseToken } from "../../src/auth/jwt.ts";
import { Code, DomainError } from "../../src/domain/errors.ts";

/** Finds the viewer of a call with a public key and a cookie whose token is checked so. */
function find(verify: () => Promise<{ projectId: string; userId: string }>) {
  const values = createContextValues();
  const key = { projectId: "alpha", organizationId: "acme", kind: "public" as const };
  values.set(callerKey, { kind: "project", key });
  const request = { requestId: "r", address: "192.0.2.1", trustsHeaders: false };
  values.set(requestKey, { ...request, now: new Date(0) });
  const findViewer = createFindViewer({
    viewerTokens: { verify },
    findCountry: () => undefined,
    findVpn: () => undefined,
  });
  const requestHeader = new Headers({ cookie: "viewer_token=abc" });
  return findViewer({ values, requestHeader } as HandlerContext);
}

test("a token in the cookie names the viewer", async () => {
  const got = await find(async () => ({ projectId: "alpha", userId: "ann" }));
  expect([got.userId, got.tokenFault]).toEqual(["ann", undefined]);
});

test("a token that does not hold counts as none, and why is known", async () => {
  const expired = refuseToken("TOKEN_EXPIRED", "the token has expired");
  const got = await find(() => Promise.reject(expired));
  expect([got.userId, got.tokenFault]).toEqual([undefined, expired]);
  const foreign = await find(async () => ({ projectId: "beta", userId: "ann" }));
  expect([foreign.userId, foreign.tokenFault?.reason]).toEqual([undefined, "AUDIENCE_NOT_ALLOWED"]);
});

test("a token that cannot be checked is no token that does not hold: the call fails", async () => {
  const faults = [
    new Error("broken"),
    new DomainError(Code.UNAVAILABLE, "DATABASE_UNAVAILABLE", "database unavailable"),
  ];
  for (const fault of faults) await expect(find(() => Promise.reject(fault))).rejects.toBe(fault);
});
