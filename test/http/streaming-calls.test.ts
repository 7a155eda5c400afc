import type http2 from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { Health, HealthCheckRequestSchema } from "../../gen/health/v1/health_pb.ts";
import { frame, unframe } from "../harness/grpc-frame.ts";
import { send } from "../harness/http.ts";
import { connectHttp2, requestHttp2, responseOf } from "../harness/http2.ts";
import { chunked, connectRaw, head } from "../harness/raw-socket.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const PER_CONNECTION = 20;
const PER_PROCESS = 1_000;

const WATCH = "/grpc.health.v1.Health/Watch";
const REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const ASK = frame(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema)));

const marquee = await useMarquee();

/** Begins a Watch and waits for its first message. */
async function watch(session: http2.ClientHttp2Session): Promise<http2.ClientHttp2Stream> {
  const stream = begin(session, WATCH);
  stream.end(ASK);
  await new Promise((resolve, reject) => {
    stream.once("data", resolve);
    stream.once("end", () => reject(new Error("refused")));
  });
  return stream;
}

function begin(
  session: http2.ClientHttp2Session,
  path: string,
  type = "application/grpc",
): http2.ClientHttp2Stream {
  const headers = { ":method": "POST", ":path": path, "content-type": type, te: "trailers" };
  const stream = session.request(headers, { endStream: false });
  stream.on("error", () => {});
  return stream;
}

const closed = (stream: http2.ClientHttp2Stream) =>
  new Promise<void>((resolve) => {
    stream.once("close", resolve);
    stream.close();
  });

describe("a message that cannot be decoded is INVALID_ARGUMENT", () => {
  const ofHealth = Health.methods.map(({ name }) => `/${Health.typeName}/${name}`);
  test.each([...ofHealth, REFLECTION])("on %s", async (path) => {
    const session = await connectHttp2(marquee.url);
    const stream = begin(session, path);
    stream.end(frame(Buffer.from("{}")));
    const { headers, trailers } = await responseOf(stream);
    const { "grpc-status": code, "grpc-message": message } = { ...headers, ...trailers };
    expect([code, message]).toEqual(["3", "the%20message%20cannot%20be%20read"]);
    session.destroy();
  });
});

test("a unary method of gRPC itself skips unknown fields of JSON, and keeps the deadline of its caller", async () => {
  const check = (body: string, headers = {}) =>
    send("POST", `${marquee.url}/grpc.health.v1.Health/Check`, {
      ...{ body, headers: { "content-type": "application/json", ...headers } },
    });
  expect(await check('{"later":1}')).toMatchObject({ status: 200, json: { status: "SERVING" } });
  const rejected = await check("{}", { "connect-timeout-ms": "0" });
  expect([rejected.status, rejected.json.code]).toEqual([504, "deadline_exceeded"]);
});

describe(`on one connection, ${PER_CONNECTION} streaming calls run at the same time`, () => {
  test("one more is RESOURCE_EXHAUSTED in the form of its protocol, and one that ends makes room", async () => {
    const session = await connectHttp2(marquee.url);
    const streams: http2.ClientHttp2Stream[] = [];
    for (let count = 0; count < PER_CONNECTION; count += 1) streams.push(await watch(session));

    for (const path of [WATCH, REFLECTION]) {
      const grpc = begin(session, path);
      grpc.end(ASK);
      const rejected = await responseOf(grpc);
      expect(rejected.status).toBe(200);
      expect({ ...rejected.headers, ...rejected.trailers }["grpc-status"]).toBe("8");

      const connect = begin(session, path, "application/connect+proto");
      connect.end(ASK);
      const { status, body, headers } = await responseOf(connect);
      expect([status, headers["content-type"]]).toEqual([200, "application/connect+proto"]);
      const [end] = unframe(body);
      expect(end?.flags).toBe(2);
      expect(JSON.parse(String(end?.data))).toMatchObject({
        error: {
          code: "resource_exhausted",
          message: expect.stringContaining(`at most ${PER_CONNECTION}`),
          details: [{ debug: { reason: "STREAMS_EXHAUSTED" } }],
        },
      });
    }

    // Other calls and other connections go on.
    expect((await requestHttp2(session, { ":path": "/healthz" })).status).toBe(200);
    const other = await connectHttp2(marquee.url);
    await closed(await watch(other));
    other.close();

    await closed(streams.pop() ?? expect.fail());
    await expect
      .poll(() =>
        watch(session).then(
          () => "room",
          () => "none",
        ),
      )
      .toBe("room");
    session.destroy();
  });

  test("over HTTP/1.1 a call that is over counts no more", async () => {
    const raw = await connectRaw(marquee.url);
    for (let count = 0; count < PER_CONNECTION + 5; count += 1) {
      const type = { "Content-Type": "application/grpc-web", "Transfer-Encoding": "chunked" };
      raw.write(head(`POST ${WATCH}`, { ...type, "grpc-timeout": "1m" }));
      raw.write(chunked(ASK));
      const { status, text } = await raw.response();
      expect([status, text]).toEqual([200, expect.stringMatching(/grpc-status: [04]/)]);
    }
    raw.destroy();
  });
});

test(`in one process, ${PER_PROCESS} streaming calls run at the same time, and not one more`, async () => {
  const sessions: http2.ClientHttp2Session[] = [];
  for (let open = 0; open < PER_PROCESS; open += PER_CONNECTION) {
    const session = await connectHttp2(marquee.url);
    sessions.push(session);
    await Promise.all(Array.from({ length: PER_CONNECTION }, () => watch(session)));
  }
  const session = await connectHttp2(marquee.url);
  const rejected = begin(session, WATCH);
  rejected.end(ASK);
  const response = await responseOf(rejected);
  expect({ ...response.headers, ...response.trailers }["grpc-status"]).toBe("8");
  expect({ ...response.headers, ...response.trailers }["grpc-message"]).toContain(
    encodeURIComponent(`at most ${PER_PROCESS}`),
  );
  // Who hangs up gives all of them back.
  sessions.pop()?.destroy();
  await expect
    .poll(() =>
      watch(session).then(
        () => "room",
        () => "none",
      ),
    )
    .toBe("room");
  for (const it of [...sessions, session]) it.destroy();
});
