import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { AuthService } from "../../gen/svc/cda/iam/auth/v1/auth_service_pb.ts";
import { Code, DomainError } from "../../src/domain/errors.ts";
import type { Server } from "../../src/server.ts";
import { connectHeaders, getUrl, PROCEDURES } from "../harness/calls.ts";
import { failLists } from "../harness/failing-store.ts";
import { frame, webTrailers } from "../harness/grpc-frame.ts";
import { type HeldEvents, holdEvents } from "../harness/held-events.ts";
import { reasonOf, send } from "../harness/http.ts";
import { answerOf, connectHttp2, requestHttp2 } from "../harness/http2.ts";
import { type Marquee, startMarquee, startOver } from "../harness/marquee.ts";

let marquee: Marquee;
beforeAll(async () => {
  marquee = await startMarquee();
});
afterAll(() => marquee.close());

const { listEvents } = PROCEDURES;

describe("the table of codes", () => {
  const table = [
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
  ] as const;
  let fault: DomainError | Error;
  let server: Server;
  beforeAll(async () => {
    server = await startOver(failLists(marquee.store, () => fault));
  });
  afterAll(() => server.close(1_000));

  for (const [code, name, status] of table) {
    test(`${name} is ${status}, on every face`, async () => {
      fault = new DomainError(code, "TEST_REASON", "because", { metadata: { a: "b" } });
      const studio = await send("GET", `${server.studioUrl}/monetization/transactions/v1`, {
        token: marquee.tokens.owner,
      });
      expect(studio.status).toBe(status);
      expect(studio.json).toEqual({
        code,
        message: "because",
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "TEST_REASON",
            domain: "marquee",
            metadata: { a: "b" },
          },
        ],
      });
      const connect = await send("GET", server.deliveryUrl + getUrl(listEvents, {}), {
        token: marquee.keys.public,
      });
      expect(connect.status).toBe(status);
      expect(connect.json).toMatchObject({ code: name, message: "because" });
      expect(connect.json.details[0]).toMatchObject({
        type: "google.rpc.ErrorInfo",
        value: expect.any(String),
        debug: { reason: "TEST_REASON" },
      });
      for (const got of [studio, connect]) {
        expect(got.headers.get("cache-control")).toBe("no-store");
        expect(got.headers.get("content-type")).toBe("application/json");
        expect(got.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
      }
      expect(await grpcStatus(server.deliveryUrl, listEvents)).toBe(String(code));
      expect(await grpcWebStatus(server.deliveryUrl, listEvents)).toBe(String(code));
    });
  }

  test("what nobody foresaw is INTERNAL on every face and tells nothing", async () => {
    fault = new Error("secret: select * from account");
    const answers = [
      await send("GET", `${server.studioUrl}/monetization/transactions/v1`, {
        token: marquee.tokens.owner,
      }),
      await send("GET", server.deliveryUrl + getUrl(listEvents, {}), {
        token: marquee.keys.public,
      }),
    ];
    for (const got of answers) {
      expect(got.status).toBe(500);
      expect(got.json.message).toBe("internal error");
      expect(reasonOf(got)).toBe("INTERNAL");
      expect(got.text).not.toContain("secret");
    }
    expect(await grpcStatus(server.deliveryUrl, listEvents)).toBe("13");
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
  const connect = () => ({ ...connectHeaders(marquee.keys.public), "connect-timeout-ms": "50" });

  test("Connect POST", async () => {
    const got = await send("POST", server.deliveryUrl + listEvents, {
      headers: connect(),
      body: {},
    });
    expect(got.status).toBe(504);
    expect(got.json.code).toBe("deadline_exceeded");
    expect(reasonOf(got)).toBe("DEADLINE_PASSED");
  });

  test("Connect GET", async () => {
    const url = server.deliveryUrl + getUrl(listEvents, {});
    expect((await send("GET", url, { headers: connect() })).status).toBe(504);
  });

  test("gRPC and gRPC-Web", async () => {
    const timeout = { "grpc-timeout": "50m" };
    expect(await grpcStatus(server.deliveryUrl, listEvents, timeout)).toBe("4");
    expect(await grpcWebStatus(server.deliveryUrl, listEvents, timeout)).toBe("4");
  });

  test("a deadline while the body is still to come", async () => {
    const session = await connectHttp2(server.deliveryUrl);
    const stream = session.request(
      { ":method": "POST", ":path": listEvents, ...connect() },
      { endStream: false },
    );
    expect((await answerOf(stream)).status).toBe(504);
    session.destroy();
  });

  for (const timeout of ["x", "-1", "1.5", "99999999999"]) {
    test(`the deadline '${timeout}' is 400`, async () => {
      const got = await send("POST", server.deliveryUrl + listEvents, {
        headers: { ...connect(), "connect-timeout-ms": timeout },
        body: {},
      });
      expect(got.status).toBe(400);
    });
  }

  test("a deadline of 0 has passed: credentials are checked, and nothing is done", async () => {
    const none = { "connect-timeout-ms": "0" };
    const ask = async (token: string, path: string = listEvents, body: unknown = {}) => {
      const headers = { ...connectHeaders(token), ...none };
      const got = await send("POST", marquee.url + path, { headers, body });
      return [got.status, reasonOf(got)];
    };
    expect(await ask("mqp_unknown")).toEqual([401, "CREDENTIALS_INVALID"]);
    for (let time = 0; time < 3; time += 1) {
      expect(await ask(marquee.keys.public)).toEqual([504, "DEADLINE_PASSED"]);
      const url = marquee.url + getUrl(listEvents, {});
      const got = await send("GET", url, { token: marquee.keys.public, headers: none });
      expect([got.status, reasonOf(got)]).toEqual([504, "DEADLINE_PASSED"]);
      // A deadline of another call on the same message changes nothing.
      expect((await send("GET", url, { token: marquee.keys.public })).status).toBe(200);
    }
    expect(await grpcStatus(marquee.url, listEvents, { "grpc-timeout": "0S" })).toBe("4");
    const id = marquee.samples.page_component_id;
    const change = {
      pageComponentId: id,
      pageComponentUpdate: { name: "late" },
      updateMask: "name",
    };
    expect(await ask(marquee.tokens.owner, PROCEDURES.updateComponent, change)).toEqual([
      504,
      "DEADLINE_PASSED",
    ]);
    const path = `${marquee.url}/ott/page_components/v2/${id}`;
    expect((await send("GET", path, { token: marquee.tokens.owner })).text).not.toContain("late");
  });

  test("a deadline that is met changes nothing", async () => {
    const got = await send("POST", marquee.url + listEvents, {
      headers: { ...connect(), "connect-timeout-ms": "5000" },
      body: {},
    });
    expect(got.status).toBe(200);
  });
});

describe("a procedure that does not exist", () => {
  const paths = [
    "/svc.cda.cms.event.v1.EventService/Nothing",
    "/svc.cda.cms.event.v9.EventService/ListEvents",
    "/grpc.reflection.v9.ServerReflection/ServerReflectionInfo",
    "/some.other.v1.Service/Method",
    "/google.longrunning.Operations/GetOperation",
  ];
  for (const path of paths) {
    test(`${path} is 404 over Connect, and UNIMPLEMENTED: no client takes it for a missing resource`, async () => {
      for (const type of ["application/json", "application/proto", "application/connect+proto"]) {
        const headers = connectHeaders(marquee.keys.public, type);
        const got = await send("POST", marquee.url + path, { headers, body: "" });
        expect(got.status).toBe(404);
        expect(got.json.code).toBe("unimplemented");
      }
    });

    test(`${path} is UNIMPLEMENTED over gRPC and gRPC-Web, so that clients try another`, async () => {
      expect(await grpcStatus(marquee.url, path)).toBe("12");
      expect(await grpcWebStatus(marquee.url, path)).toBe("12");
    });
  }
});

describe("browsers", () => {
  const methods = [...EventService.methods, ...AuthService.methods];
  for (const method of methods) {
    const path = `/${method.parent.typeName}/${method.name}`;
    test(`${method.name} answers a preflight without credentials`, async () => {
      const got = await send("OPTIONS", marquee.url + path, {
        headers: {
          origin: "https://fans.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,connect-protocol-version,content-type",
        },
      });
      expect(got.status).toBe(204);
      expect(got.headers.get("vary")).toBe(
        "Access-Control-Request-Method, Access-Control-Request-Headers",
      );
      expect(got.headers.get("access-control-allow-origin")).toBe("*");
      const allowed = got.headers.get("access-control-allow-methods")?.split(", ") ?? [];
      expect(allowed).toContain("POST");
      expect(allowed.includes("GET")).toBe(method.idempotency === 1);
      const headers = got.headers.get("access-control-allow-headers")?.toLowerCase().split(", ");
      for (const name of [
        "authorization",
        "content-type",
        "connect-protocol-version",
        "connect-timeout-ms",
        "grpc-timeout",
        "x-grpc-web",
        "if-none-match",
        "x-request-id",
      ]) {
        expect(headers).toContain(name);
      }
      expect(Number(got.headers.get("access-control-max-age"))).toBeGreaterThan(0);
    });

    test(`${method.name} lets pages read its answers, errors too`, async () => {
      const requests: [string, string, Record<string, string>][] = [
        ["POST", "{}", connectHeaders(marquee.keys.public)],
        ["POST", "{}", connectHeaders("mqp_nobody")],
        ["POST", "{", connectHeaders(marquee.keys.public)],
        ["POST", "{}", { "content-type": "text/plain" }],
        ["PUT", "{}", {}],
      ];
      for (const [verb, body, headers] of requests) {
        const got = await send(verb, marquee.url + path, {
          headers: { ...headers, origin: "https://fans.example" },
          body,
        });
        expect(got.headers.get("access-control-allow-origin"), `${got.status}`).toBe("*");
        const exposed = got.headers.get("access-control-expose-headers") ?? "";
        for (const name of ["ETag", "X-Request-Id", "Grpc-Status", "Retry-After"]) {
          expect(exposed).toContain(name);
        }
      }
    });
  }

  test("OPTIONS that is no preflight is 405", async () => {
    const got = await send("OPTIONS", marquee.url + listEvents);
    expect(got.status).toBe(405);
    expect(got.headers.get("allow")).toBe("GET, POST");
  });
});

async function grpcStatus(url: string, path: string, headers: Record<string, string> = {}) {
  const session = await connectHttp2(url);
  const fixed = {
    ":method": "POST",
    ":path": path,
    authorization: `Bearer ${marquee.keys.public}`,
    "content-type": "application/grpc",
    te: "trailers",
  };
  const got = await requestHttp2(session, { ...fixed, ...headers }, frame(new Uint8Array()));
  session.close();
  expect(got.status).toBe(200);
  return got.trailers["grpc-status"];
}

async function grpcWebStatus(url: string, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${marquee.keys.public}`,
      "content-type": "application/grpc-web+proto",
      ...headers,
    },
    body: Buffer.from(frame(new Uint8Array())),
  });
  expect(response.status).toBe(200);
  return webTrailers(Buffer.from(await response.arrayBuffer()))["grpc-status"];
}
