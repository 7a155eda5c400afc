import { getOption } from "@bufbuild/protobuf";
import { describe, expect, test, vi } from "vitest";
import { access } from "../../../gen/svc/options/v1/access_pb.ts";
import { openViewerTokens } from "../../../src/auth/viewer-token.ts";
import { PROCEDURES } from "../../harness/calls.ts";
import { reasonOf, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery } from "../delivery.ts";
import { sampleOf } from "../method-samples.ts";
import { findMethods, procedureOf, sendRequest, toProtocolRequests } from "../methods.ts";

const DELIVERY = (await findMethods()).filter(
  (method) => getOption(method, access).rule.case === "projectKey",
);

const sign = (projectId: string, seconds = 600) =>
  tokens.sign({ projectId, userId: "ann" }, new Date(), new Date(Date.now() + seconds * 1_000));

const marquee = await useMarquee();
const tokens = await openViewerTokens(marquee.store, new Date());
const token = await sign("worldcup");

const EVENTS = PROCEDURES.listEvents.slice(1);
const list = (credentials: string, message: object = { pageSize: 3 }) =>
  callDelivery({ url: marquee.url, keys: { ...marquee.keys, public: credentials } }, EVENTS, {
    ...message,
  });

describe("a viewer token in the place of a public key", () => {
  for (const method of DELIVERY) {
    test(`calls ${procedureOf(method)} over every protocol, and nobody keeps the response`, async () => {
      for (const request of toProtocolRequests(method, await sampleOf(marquee, method))) {
        const { protocol } = request;
        const call = (credentials: string) => sendRequest(marquee.url, request, credentials);
        const want = await call(marquee.keys.public);
        const got = await call(token);
        expect([protocol, got.status]).toEqual([protocol, 200]);
        expect(got.headers.get("cache-control")).toContain("no-store");
        expect(got.headers.get("surrogate-key")).toBe(null);
        // Some methods are for viewers alone.
        if (protocol === "Connect GET" && want.status === 200) expect(got.json).toEqual(want.json);
      }
    });
  }

  test("sees its own project only", async () => {
    const { status, text } = await list(await sign("sandbox"));
    expect([status, text.includes("sandbox-match-1"), text.includes("worldcup")]).toEqual([
      ...[200, true, false],
    ]);
  });
});

describe("the response to a viewer token", () => {
  test("is read for it alone: it is neither taken from memory nor kept there", async () => {
    const reads = vi.spyOn(marquee.store.events, "list");
    const message = { pageSize: 7 };
    await list(marquee.keys.public, message);
    await list(marquee.keys.public, message);
    expect(reads).toHaveBeenCalledTimes(1);
    for (const count of [2, 3]) {
      const got = await list(token, message);
      expect(got.headers.get("cache-control")).toBe("private, no-store");
      expect(reads).toHaveBeenCalledTimes(count);
    }
    const shared = await list(marquee.keys.public, message);
    expect(shared.headers.get("cache-control")).toContain("public");
    expect(reads).toHaveBeenCalledTimes(3);
    const other = { pageSize: 8 };
    await list(token, other);
    await list(marquee.keys.public, other);
    expect(reads).toHaveBeenCalledTimes(5);
    reads.mockRestore();
  });

  test("ends with the token", async () => {
    const short = await sign("worldcup", 2);
    expect((await list(short)).status).toBe(200);
    await expect.poll(async () => reasonOf(await list(short))).toBe("TOKEN_EXPIRED");
  });
});

test("a cookie alone is no credentials, and beside a public key it changes no list", async () => {
  const url = `${marquee.url}/${EVENTS}?encoding=json&message=%7B%7D`;
  const cookie = `viewer_token=${token}`;
  expect(reasonOf(await send("GET", url, { headers: { cookie } }))).toBe("CREDENTIALS_MISSING");
  const got = await send("GET", url, { token: marquee.keys.public, headers: { cookie } });
  expect(got.headers.get("cache-control")).toContain("public");
});
