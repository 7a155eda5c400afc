import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { AuthService } from "../../gen/svc/cda/iam/auth/v1/auth_service_pb.ts";
import { Code, DomainError } from "../../src/domain/base/errors.ts";
import type { Server } from "../../src/server.ts";
import { askGrpc, askGrpcWeb } from "../harness/ask.ts";
import { connectHeaders, getUrl, PROCEDURES } from "../harness/calls.ts";
import { failLists } from "../harness/failing-store.ts";
import { type HeldEvents, holdEvents } from "../harness/held-events.ts";
import { reasonOf, rejection, send } from "../harness/http.ts";
import { connectHttp2, responseOf } from "../harness/http2.ts";
import { startOver } from "../harness/marquee.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();
const token = marquee.keys.public;
const owner = { token: marquee.tokens.owner };
const { listEvents } = PROCEDURES;

/** The status of a call over gRPC and over gRPC-Web. */
async function grpcCodes(url: string, path: string, headers: Record<string, string> = {}) {
  const { status, trailers } = await askGrpc(url, path, { token, headers });
  expect(status).toBe(200);
  const web = await askGrpcWeb(url, path, { token, headers });
  return [trailers["grpc-status"], web["grpc-status"]];
}

describe("an error of a handler", () => {
  let error: DomainError | Error;
  let server: Server;
  beforeAll(async () => {
    server = await startOver(failLists(marquee.store, () => error));
  });
  afterAll(() => server.close(1_000));

  const ask = async () => ({
    studio: await send("GET", `${server.studioUrl}/monetization/transactions/v1`, owner),
    connect: await send("GET", server.deliveryUrl + getUrl(listEvents, {}), { token }),
    grpc: await grpcCodes(server.deliveryUrl, listEvents),
  });

  test.each([
    [Code.CANCELLED, "canceled", 499],
    [Code.UNKNOWN, "unknown", 500],
    [Code.INVALID_ARGUMENT, "invalid_argument", 400],
    [Code.DEADLINE_EXCEEDED, "deadline_exceeded", 504],
    [Code.NOT_FOUND, "not_found", 404],
    [Code.ALREADY_EXISTS, "already_exists", 409],
    [Code.PERMISSION_DENIED, "permission_denied", 403],
    [Code.RESOURCE_EXHAUSTED, "resource_exhausted", 429],
    [Code.FAILED_PRECONDITION, "failed_precondition", 400],
    [Code.ABORTED, "aborted", 409],
    [Code.OUT_OF_RANGE, "out_of_range", 400],
    [Code.UNIMPLEMENTED, "unimplemented", 501],
    [Code.INTERNAL, "internal", 500],
    [Code.UNAVAILABLE, "unavailable", 503],
    [Code.DATA_LOSS, "data_loss", 500],
    [Code.UNAUTHENTICATED, "unauthenticated", 401],
  ])("%i is %s and HTTP status %i over every protocol", async (code, name, status) => {
    error = new DomainError(code, "VALUE_INVALID", "because", { metadata: { a: "b" } });
    const { studio, connect, grpc } = await ask();
    const info = { reason: "VALUE_INVALID", domain: "marquee", metadata: { a: "b" } };
    const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", ...info }];
    expect(studio.json).toEqual({ code, message: "because", details });
    expect(connect.json).toMatchObject({ code: name, message: "because" });
    expect(connect.json.details[0]).toMatchObject({
      type: "google.rpc.ErrorInfo",
      value: expect.any(String),
      debug: { reason: "VALUE_INVALID" },
    });
    for (const got of [studio, connect]) {
      expect(got.status).toBe(status);
      expect(got.headers.get("cache-control")).toBe("no-store");
      expect(got.headers.get("content-type")).toBe("application/json");
      expect(got.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
    }
    expect(grpc).toEqual([`${code}`, `${code}`]);
  });
});

describe("a deadline is kept although the handler takes no notice of it", () => {
  let held: HeldEvents;
  let server: Server;
  beforeAll(async () => {
    held = holdEvents(marquee.store);
    server = await startOver(held.store);
  });
  afterAll(async () => {
    held.release();
    await server.close(1_000);
  });
  const within = (timeout: string) => ({
    headers: { ...connectHeaders(token), "connect-timeout-ms": timeout },
  });

  test("over Connect by POST and GET, gRPC and gRPC-Web", async () => {
    const post = { ...within("50"), body: {} };
    const got = await send("POST", server.deliveryUrl + listEvents, post);
    expect([...rejection(got), got.json.code]).toEqual([
      504,
      "DEADLINE_PASSED",
      "deadline_exceeded",
    ]);
    const url = server.deliveryUrl + getUrl(listEvents, {});
    expect((await send("GET", url, within("50"))).status).toBe(504);
    const codes = await grpcCodes(server.deliveryUrl, listEvents, { "grpc-timeout": "50m" });
    expect(codes).toEqual(["4", "4"]);
  });

  test("while the body is still to come", async () => {
    const session = await connectHttp2(server.deliveryUrl);
    const stream = session.request(
      { ":method": "POST", ":path": listEvents, ...within("50").headers },
      { endStream: false },
    );
    expect((await responseOf(stream)).status).toBe(504);
    session.destroy();
  });

  test.each(["x", "-1", "1.5", "99999999999"])("'%s' is 400", async (timeout) => {
    const got = await send("POST", server.deliveryUrl + listEvents, {
      ...within(timeout),
      body: {},
    });
    expect(got.status).toBe(400);
  });

  test("of 0 has passed: credentials are checked, and nothing is done", async () => {
    const none = { "connect-timeout-ms": "0" };
    const passed = [504, "DEADLINE_PASSED"];
    const ask = async (credential: string, path: string = listEvents, body: unknown = {}) => {
      const headers = { ...connectHeaders(credential), ...none };
      return rejection(await send("POST", marquee.url + path, { headers, body }));
    };
    expect(await ask("mqp_unknown")).toEqual([401, "CREDENTIALS_INVALID"]);
    for (let time = 0; time < 3; time += 1) {
      expect(await ask(token)).toEqual(passed);
      const url = marquee.url + getUrl(listEvents, {});
      expect(rejection(await send("GET", url, { token, headers: none }))).toEqual(passed);
      // A deadline of another call on the same message changes nothing.
      expect((await send("GET", url, { token })).status).toBe(200);
    }
    expect(await grpcCodes(marquee.url, listEvents, { "grpc-timeout": "0S" })).toEqual(["4", "4"]);
    const id = marquee.samples.page_component_id;
    const update = { pageComponentUpdate: { name: "late" }, updateMask: "name" };
    const change = { pageComponentId: id, ...update };
    expect(await ask(owner.token, PROCEDURES.updateComponent, change)).toEqual(passed);
    const path = `${marquee.url}/ott/page_components/v2/${id}`;
    expect((await send("GET", path, owner)).text).not.toContain("late");
  });

  test("that is met changes nothing", async () => {
    const request = { ...within("5000"), body: {} };
    expect((await send("POST", marquee.url + listEvents, request)).status).toBe(200);
  });
});

test.each([
  "/svc.cda.cms.event.v1.EventService/Nothing",
  "/svc.cda.cms.event.v9.EventService/ListEvents",
  "/grpc.reflection.v9.ServerReflection/ServerReflectionInfo",
  "/some.other.v1.Service/Method",
  "/google.longrunning.Operations/GetOperation",
])(
  "%s does not exist: UNIMPLEMENTED, and no client takes it for a missing resource",
  async (path) => {
    for (const type of ["application/json", "application/proto", "application/connect+proto"]) {
      const headers = connectHeaders(token, type);
      const got = await send("POST", marquee.url + path, { headers, body: "" });
      expect([got.status, got.json.code], type).toEqual([404, "unimplemented"]);
    }
    expect(await grpcCodes(marquee.url, path)).toEqual(["12", "12"]);
  },
);

describe("browsers", () => {
  const origin = "https://fans.example";
  const ALLOWED = ["authorization", "content-type", "connect-protocol-version", "x-request-id"];
  const TIMES = ["connect-timeout-ms", "grpc-timeout", "x-grpc-web", "if-none-match"];

  describe.each([...EventService.methods, ...AuthService.methods])("at $name", (method) => {
    const url = `${marquee.url}/${method.parent.typeName}/${method.name}`;

    test("preflight without credentials", async () => {
      const { status, headers } = await send("OPTIONS", url, {
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,connect-protocol-version,content-type",
        },
      });
      expect([status, headers.get("vary"), headers.get("access-control-allow-origin")]).toEqual([
        204,
        "Access-Control-Request-Method, Access-Control-Request-Headers",
        "*",
      ]);
      const methods = headers.get("access-control-allow-methods")?.split(", ") ?? [];
      expect(methods).toContain("POST");
      expect(methods.includes("GET")).toBe(method.idempotency === 1);
      const names = headers.get("access-control-allow-headers")?.toLowerCase().split(", ");
      expect(names).toEqual(expect.arrayContaining([...ALLOWED, ...TIMES]));
      expect(Number(headers.get("access-control-max-age"))).toBeGreaterThan(0);
    });

    test.each([
      ["POST", "{}", connectHeaders(token)],
      ["POST", "{}", connectHeaders("mqp_nobody")],
      ["POST", "{", connectHeaders(token)],
      ["POST", "{}", { "content-type": "text/plain" }],
      ["PUT", "{}", {}],
    ] as const)("read responses, errors too: %s %s %j", async (verb, body, more) => {
      const { headers } = await send(verb, url, { headers: { ...more, origin }, body });
      expect(headers.get("access-control-allow-origin")).toBe("*");
      const exposed = headers.get("access-control-expose-headers")?.split(", ");
      const names = ["ETag", "X-Request-Id", "Grpc-Status", "Retry-After"];
      expect(exposed).toEqual(expect.arrayContaining(names));
    });
  });

  test("OPTIONS that is no preflight is 405", async () => {
    const got = await send("OPTIONS", marquee.url + listEvents);
    expect([got.status, got.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
    expect(reasonOf(got)).toBeTruthy();
  });
});
