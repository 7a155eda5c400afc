import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { AuthService } from "../../gen/svc/cda/iam/auth/v1/auth_service_pb.ts";
import { AnnotationService } from "../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import { TransactionService } from "../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import { askGrpc } from "../harness/ask.ts";
import { connectHeaders, getUrl, PROCEDURES } from "../harness/calls.ts";
import { frame, unframe } from "../harness/grpc-frame.ts";
import { reasonOf, send } from "../harness/http.ts";
import { TRANSPORTS } from "../harness/transports.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();
const now = new Date();
const vendorIdToken = await marquee.identityProvider.sign({
  subject: "user-1",
  audience: "marquee-demo",
  issueTime: now,
  expireTime: new Date(now.getTime() + 60_000),
});

const { listEvents, updateAnnotation } = PROCEDURES;

describe("a generated client", () => {
  for (const { name, create } of TRANSPORTS) {
    test(`calls delivery by ${name}`, async () => {
      const transport = create(marquee.url, marquee.keys.public);
      const events = createClient(EventService, transport);
      let tag: string | null = null;
      const onHeader = (headers: Headers) => {
        tag = headers.get("etag");
      };
      const first = await events.listEvents({ pageSize: 7 }, { onHeader });
      expect(first.events).toHaveLength(7);
      expect(tag).toMatch(/^"[^"]+"$/);
      const second = await events.listEvents({ pageSize: 7, pageToken: first.nextPageToken });
      const ids = new Set([...first.events, ...second.events].map(({ id }) => id));
      expect(ids.size).toBe(14);
      const viewer = await createClient(AuthService, transport).exchangeToken({ vendorIdToken });
      expect(viewer.userId).toBe("user-1");
    });

    test(`calls the Studio API by ${name}`, async () => {
      const transport = create(marquee.url, marquee.tokens.owner);
      const { transactions } = await createClient(TransactionService, transport).listTransactions({
        pageSize: 30,
      });
      expect(transactions).toHaveLength(30);
      const { annotation } = await createClient(AnnotationService, transport).updateAnnotation({
        annotationId: marquee.samples.annotation_id,
        annotation: {
          id: marquee.samples.annotation_id,
          projectId: "worldcup",
          timerLabel: name,
        },
        updateMask: { paths: ["timer_label"] },
      });
      expect(annotation?.timerLabel).toBe(name);
    });

    test(`gets errors with their reason by ${name}`, async () => {
      const events = createClient(EventService, create(marquee.url, marquee.keys.public));
      const rejected = await errorOf(events.listEvents({ pageSize: -1 }));
      expect(rejected.code).toBe(Code.InvalidArgument);
      expect(rejected.findDetails(ErrorInfoSchema)[0]).toMatchObject({ domain: "marquee" });

      const stranger = createClient(EventService, create(marquee.url, "mqp_nobody"));
      const unknown = await errorOf(stranger.listEvents({}));
      expect(unknown.code).toBe(Code.Unauthenticated);
      expect(unknown.findDetails(ErrorInfoSchema)[0]?.reason).toBe("CREDENTIALS_INVALID");

      const crossed = createClient(TransactionService, create(marquee.url, marquee.keys.public));
      expect((await errorOf(crossed.listTransactions({}))).code).toBe(Code.Unauthenticated);
    });
  }
});

describe("responses over 1 KiB are compressed when asked for", () => {
  for (const encoding of ["gzip", "br"]) {
    for (const method of ["GET", "POST"]) {
      test(`${encoding}, Connect ${method}`, async () => {
        const path = method === "GET" ? getUrl(listEvents, {}) : listEvents;
        const got = await send(method, marquee.url + path, {
          headers: { ...connectHeaders(marquee.keys.public), "accept-encoding": encoding },
          ...(method === "POST" && { body: {} }),
        });
        expect(got.headers.get("content-encoding")).toBe(encoding);
        expect(got.json.events).toHaveLength(20);
      });
    }

    for (const type of ["application/grpc", "application/grpc-web"]) {
      test(`${encoding}, ${type}`, async () => {
        const got = await askGrpc(marquee.url, listEvents, {
          token: marquee.keys.public,
          type,
          headers: { "grpc-accept-encoding": encoding },
        });
        expect(got.headers["grpc-encoding"]).toBe(encoding);
        expect((unframe(got.body)[0]?.flags ?? 0) & 1).toBe(1);
      });
    }
  }

  test("a small response is not", async () => {
    const got = await send("GET", marquee.url + getUrl(listEvents, { pageToken: "x" }), {
      token: marquee.keys.public,
      headers: { "accept-encoding": "gzip" },
    });
    expect(got.headers.get("content-encoding")).toBeNull();
  });

  test("gzip, REST", async () => {
    const got = await send("GET", `${marquee.url}/monetization/transactions/v1`, {
      token: marquee.tokens.owner,
      headers: { "accept-encoding": "br;q=0.5, gzip" },
    });
    expect(got.headers.get("content-encoding")).toBe("gzip");
    expect(got.headers.get("vary")).toBe("Accept-Encoding");
    expect(got.json.transactions).toHaveLength(50);
  });

  test("plain, REST: the response says that there is another form of it", async () => {
    for (const encoding of ["identity", "gzip;q=0", "br", "gzip;q=0.5, identity"]) {
      const got = await send("GET", `${marquee.url}/monetization/transactions/v1`, {
        token: marquee.tokens.owner,
        headers: { "accept-encoding": encoding },
      });
      expect(got.headers.get("content-encoding")).toBeNull();
      expect(got.headers.get("vary")).toBe("Accept-Encoding");
      expect(got.json.transactions).toHaveLength(50);
    }
  });

  test("a short response by REST has one form only", async () => {
    const got = await send("GET", `${marquee.url}/monetization/transactions/v1?page_size=1`, {
      token: marquee.tokens.owner,
      headers: { "accept-encoding": "gzip" },
    });
    expect(got.text.length).toBeLessThan(1_024);
    expect([got.headers.get("content-encoding"), got.headers.get("vary")]).toEqual([null, null]);
  });
});

// At reads of the Delivery API, test/api/delivery-methods.test.ts tries it.
test.each([
  [undefined, 400],
  ["", 400],
  ["2", 400],
  ["1", 200],
])("the Connect protocol version %j on a POST of the Studio API is %i", async (version, want) => {
  const got = await send("POST", marquee.url + PROCEDURES.listTransactions, {
    token: marquee.tokens.owner,
    headers: version === undefined ? {} : { "connect-protocol-version": version },
    body: {},
  });
  expect(got.status).toBe(want);
  if (want === 400) {
    expect([got.json.code, reasonOf(got)]).toEqual([
      "invalid_argument",
      "CONNECT_PROTOCOL_VERSION_REQUIRED",
    ]);
  }
});

describe("JSON of Connect and gRPC", () => {
  const update = (annotation: Record<string, unknown>, more = {}) => ({
    annotationId: "goal-2026-104-1",
    annotation: { id: "goal-2026-104-1", projectId: "worldcup", ...annotation },
    updateMask: "timerLabel",
    ...more,
  });
  const cases: [string, unknown, number][] = [
    ["a good message", update({ timerLabel: "1" }), 200],
    ["an unknown field", update({ timerLabel: "1", nothing: 1 }), 400],
    ["an unknown field at the root", update({ timerLabel: "1" }, { nothing: 1 }), 400],
    ["an unknown enum name", update({ visibility: "VISIBILITY_NOTHING" }), 400],
    ["a value of the wrong type", update({ timerLabel: 1 }), 400],
  ];
  for (const [name, message, want] of cases) {
    test(`the Studio API by Connect: ${name} is ${want}`, async () => {
      const got = await send("POST", marquee.url + updateAnnotation, {
        headers: connectHeaders(marquee.tokens.owner),
        body: message,
      });
      expect(got.status).toBe(want);
      if (want === 400) expect(got.json.code).toBe("invalid_argument");
    });

    test(`the Studio API by gRPC with JSON: ${name} is ${want === 200 ? 0 : 3}`, async () => {
      const { code } = await askGrpc(marquee.url, updateAnnotation, {
        token: marquee.tokens.owner,
        type: "application/grpc+json",
        body: frame(Buffer.from(JSON.stringify(message))),
      });
      expect(code).toBe(want === 200 ? "0" : "3");
    });
  }
});

async function errorOf(call: Promise<unknown>): Promise<ConnectError> {
  const cause = await call.then(
    () => expect.fail("the call succeeded"),
    (error: unknown) => error,
  );
  expect(cause).toBeInstanceOf(ConnectError);
  return ConnectError.from(cause);
}
