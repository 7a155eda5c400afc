import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  EventService,
  type ListEventsRequest,
  ListEventsRequestSchema,
} from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { PROCEDURES } from "../../harness/calls.ts";
import { frame, unframe, webTrailers } from "../../harness/grpc-frame.ts";
import { connectHttp2, type Http2Answer, requestHttp2 } from "../../harness/http2.ts";
import { type Marquee, startMarquee } from "../../harness/marquee.ts";
import { type ReadService, startReadService } from "../../harness/read-service.ts";

/** What the handler does next, and how often it was called. */
let answer: (setHeader: (name: string, value: string) => void) => object;
let calls = 0;
function callHandler(setHeader: (name: string, value: string) => void): object {
  calls += 1;
  return answer(setHeader);
}

let marquee: Marquee;
let service: ReadService;
let library: http2.Http2Server;
let own: http2.ClientHttp2Session;
let other: http2.ClientHttp2Session;
beforeAll(async () => {
  marquee = await startMarquee();
  service = await startReadService(marquee, {
    listEvents: (_request, call) => callHandler((name, value) => call.setHeader(name, value)),
  });
  const routes = (router: ConnectRouter) =>
    void router.service(EventService, {
      listEvents: (_request: ListEventsRequest, { responseHeader }: HandlerContext) =>
        callHandler((name, value) => responseHeader.set(name, value)),
    });
  library = http2.createServer(connectNodeAdapter({ routes }));
  await new Promise<void>((resolve) => library.listen(0, "127.0.0.1", resolve));
  own = await connectHttp2(service.url);
  other = await connectHttp2(`http://127.0.0.1:${(library.address() as AddressInfo).port}`);
});
afterAll(async () => {
  own.close();
  other.close();
  library.close();
  await service.close();
  await marquee.close();
});
beforeEach(() => {
  calls = 0;
});

/** A form of a call: its protocol, codec and HTTP method. */
interface Form {
  readonly name: string;
  readonly type: string;
  readonly isJson: boolean;
  readonly isGet?: boolean;
}

const FORMS: readonly Form[] = [
  { name: "Connect POST, JSON", type: "application/json", isJson: true },
  { name: "Connect POST, binary", type: "application/proto", isJson: false },
  { name: "Connect GET, JSON", type: "json", isJson: true, isGet: true },
  { name: "Connect GET, binary", type: "proto", isJson: false, isGet: true },
  { name: "gRPC", type: "application/grpc", isJson: false },
  { name: "gRPC, JSON", type: "application/grpc+json", isJson: true },
  { name: "gRPC-Web", type: "application/grpc-web+proto", isJson: false },
  { name: "gRPC-Web, JSON", type: "application/grpc-web+json", isJson: true },
];
const CODINGS = ["identity", "gzip", "br"] as const;
type Coding = (typeof CODINGS)[number];

/** How a message is sent and its answer accepted. */
interface Way {
  readonly form: Form;
  readonly accept: Coding;
  readonly isCompressed: boolean;
}

const WAYS: readonly Way[] = FORMS.flatMap((form) =>
  CODINGS.flatMap((accept) =>
    [false, true].map((isCompressed) => ({ form, accept, isCompressed })),
  ),
);

function request(
  session: http2.ClientHttp2Session,
  { form, accept, isCompressed }: Way,
  message: ListEventsRequest,
  token: string,
): Promise<Http2Answer> {
  const isGrpc = form.type.startsWith("application/grpc");
  const plain = form.isJson
    ? Buffer.from(toJsonString(ListEventsRequestSchema, message))
    : Buffer.from(toBinary(ListEventsRequestSchema, message));
  const bytes = isCompressed ? gzipSync(plain) : plain;
  const headers = {
    authorization: `Bearer ${token}`,
    ...(isGrpc
      ? { "grpc-accept-encoding": accept, te: "trailers" }
      : { "accept-encoding": accept }),
  };
  if (form.isGet) {
    const text = `base64=1&message=${bytes.toString("base64url")}`;
    const compression = isCompressed ? "&compression=gzip" : "";
    const path = `${PROCEDURES.listEvents}?connect=v1&encoding=${form.type}&${text}${compression}`;
    return requestHttp2(session, { ":path": path, ...headers });
  }
  const encoding = isGrpc ? "grpc-encoding" : "content-encoding";
  return requestHttp2(
    session,
    {
      ...{ ":method": "POST", ":path": PROCEDURES.listEvents, "content-type": form.type },
      ...headers,
      ...(isCompressed && { [encoding]: "gzip" }),
      ...(!isGrpc && { "connect-protocol-version": "1" }),
    },
    isGrpc ? frame(bytes, isCompressed ? 1 : 0) : bytes,
  );
}

/** What a caller understands of an answer: the library compresses to other bytes. */
function understood({ status, headers, trailers, body }: Http2Answer) {
  const type = headers["content-type"] ?? "";
  const own = Object.entries(headers).filter(([name]) => /^(x-test|trailer-)/.test(name));
  const common = { status, type, headers: Object.fromEntries(own) };
  if (!type.startsWith("application/grpc")) {
    return { ...common, message: decode(body, headers["content-encoding"]).toString("hex") };
  }
  const messages = unframe(body).filter(({ flags }) => flags < 0x80);
  const { "grpc-message": text, ...ends } = type.includes("web") ? webTrailers(body) : trailers;
  return {
    ...common,
    messages: messages.map(({ flags, data }) =>
      decode(data, flags === 1 ? headers["grpc-encoding"] : undefined).toString("hex"),
    ),
    // The library encodes more characters than it must.
    trailers: { ...ends, "grpc-message": decodeURIComponent(String(text ?? "")) },
  };
}

function decode(bytes: Buffer, encoding: unknown): Buffer {
  if (encoding === "gzip") return gunzipSync(bytes);
  return encoding === "br" ? brotliDecompressSync(bytes) : bytes;
}

const texts = fc.string({ unit: "grapheme", maxLength: 200 });
const times = fc.record({
  seconds: fc.bigInt({ min: -62_135_596_800n, max: 253_402_300_799n }),
  nanos: fc.integer({ min: 0, max: 999_999_999 }),
});
/** JSON as it is stored, which has no negative zero. */
const json = fc.jsonValue({ maxDepth: 3 }).map((it) => JSON.parse(JSON.stringify(it)));
const events = fc.record({
  id: texts,
  title: fc.dictionary(fc.stringMatching(/^[a-z]{2}(-[A-Z]{2})?$/), texts),
  visibility: fc.integer({ min: 0, max: 2 }),
  startTime: fc.option(times, { nil: undefined }),
  entityIds: fc.array(texts),
  fields: fc.option(fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), json), { nil: undefined }),
});
const lists = fc.record({ events: fc.array(events, { maxLength: 20 }), nextPageToken: texts });

describe("an answer is that of the library", () => {
  test("in every form and compression, cached and uncached, read once for all of them", async () => {
    let size = 0;
    await fc.assert(
      fc.asyncProperty(lists, fc.shuffledSubarray([...WAYS]), async (list, ways) => {
        answer = () => list;
        calls = 0;
        size += 1;
        const message = create(ListEventsRequestSchema, { pageSize: size, filter: "id: é" });
        for (const way of ways) {
          const want = understood(await request(other, way, message, ""));
          expect(want.status).toBe(200);
          const before = calls;
          // A preview key's answers are not cached.
          const { keys } = marquee;
          const uncached = await request(own, way, message, keys.preview);
          expect(calls).toBe(before + 1);
          expect(understood(uncached)).toEqual(want);
          const first = await request(own, way, message, keys.public);
          const second = await request(own, way, message, keys.public);
          expect(understood(first)).toEqual(want);
          expect(second.body).toEqual(first.body);
          expect(second.headers.etag).toBe(first.headers.etag);
        }
        // One by the library and one by the preview key each time, one for all by the public key.
        expect(calls).toBe(2 * ways.length + Math.min(ways.length, 1));
      }),
      { numRuns: 12 },
    );
  }, 60_000);

  for (const form of FORMS) {
    test(`with its own headers: ${form.name}`, async () => {
      answer = (setHeader) => {
        setHeader("x-test-header", "one");
        return { nextPageToken: form.name };
      };
      const way = { form, accept: "identity", isCompressed: false } as const;
      const message = create(ListEventsRequestSchema, { filter: form.name });
      const want = understood(await request(other, way, message, ""));
      expect(JSON.stringify(want)).toContain("x-test-header");
      const { keys } = marquee;
      for (const token of [keys.preview, keys.public, keys.public]) {
        expect(understood(await request(own, way, message, token))).toEqual(want);
      }
    });

    for (const code of [Code.NotFound, Code.Unknown, Code.ResourceExhausted]) {
      test(`that is an error ${Code[code]}, with headers: ${form.name}`, async () => {
        answer = (setHeader) => {
          setHeader("x-test-header", "one");
          throw new ConnectError("why – so", code, { "x-test-metadata": "three" }, [
            { desc: ListEventsRequestSchema, value: { filter: "a detail" } },
          ]);
        };
        const way = { form, accept: "gzip", isCompressed: false } as const;
        const message = create(ListEventsRequestSchema, { search: form.name });
        const want = understood(await request(other, way, message, ""));
        const got = understood(await request(own, way, message, marquee.keys.public));
        expect(withoutProto(got)).toEqual(withoutProto(want));
      });
    }
  }
});

describe("a request is understood as the library does", () => {
  const messages = [
    "{}",
    '{"pageSize":2}',
    '{"pageSize":"2"}',
    '{"page_size":2}',
    '{"pageSize":2,"unknown":[1]}',
    '\uFEFF{"pageSize":2}',
    "",
    "{",
    "{}x",
    "[]",
    "null",
    "1",
    '{"pageSize":"x"}',
    '{"pageSize":1.5}',
    '{"pageSize":1,"pageSize":2}',
    `{"unknown":${"[".repeat(98)}${"]".repeat(98)}}`,
  ];
  for (const message of messages) {
    test(`message ${message.slice(0, 40)}`, async () => {
      answer = () => ({ nextPageToken: "next" });
      for (const form of FORMS.filter(({ isJson }) => isJson)) {
        const want = toOutcome(await requestText(other, form, message));
        // Twice: the second finds the form of the first, if it could be read.
        for (let time = 0; time < 2; time += 1) {
          const got = toOutcome(await requestText(own, form, message));
          expect([form.name, got]).toEqual([form.name, want]);
        }
      }
    });
  }

  for (const timeout of [
    "x",
    "-1",
    "1.5",
    "",
    "99999999999",
    "5000",
    "00050",
    "5S",
    "9H",
    "5000m",
  ]) {
    test(`deadline ${timeout}`, async () => {
      answer = () => ({ nextPageToken: "next" });
      for (const form of FORMS.filter(({ isJson }) => isJson)) {
        const name = form.type.includes("grpc") ? "grpc-timeout" : "connect-timeout-ms";
        const ask = (session: http2.ClientHttp2Session) =>
          requestText(session, form, JSON.stringify({ search: timeout }), { [name]: timeout });
        const got = toOutcome(await ask(own));
        expect([form.name, got]).toEqual([form.name, toOutcome(await ask(other))]);
      }
    });
  }
});

/** Sends a text as the message of a call by a key whose answers are cached. */
function requestText(
  session: http2.ClientHttp2Session,
  { type, isGet }: Form,
  text: string,
  more: Record<string, string> = {},
): Promise<Http2Answer> {
  const headers = { authorization: `Bearer ${marquee.keys.public}`, ...more };
  if (isGet) {
    const path = `${PROCEDURES.listEvents}?encoding=json&message=${encodeURIComponent(text)}`;
    return requestHttp2(session, { ":path": path, ...headers });
  }
  const isGrpc = type.includes("grpc");
  return requestHttp2(
    session,
    {
      ...{ ":method": "POST", ":path": PROCEDURES.listEvents, "content-type": type, ...headers },
      ...(isGrpc ? { te: "trailers" } : { "connect-protocol-version": "1" }),
    },
    isGrpc ? frame(Buffer.from(text)) : text,
  );
}

/** The answer, or the code and the words of its error, to which the library adds no details. */
function toOutcome(got: Http2Answer) {
  const { status, trailers } = understood(got) as ReturnType<typeof understood> & {
    readonly trailers?: Record<string, unknown>;
  };
  if (trailers !== undefined && trailers["grpc-status"] !== "0") {
    return [trailers["grpc-status"], trailers["grpc-message"]];
  }
  return status === 200 ? understood(got) : [status, got.json.code, got.json.message];
}

test("bytes that are a message in one codec are not taken for one in the other", async () => {
  answer = () => ({});
  const post = (type: string) =>
    requestHttp2(
      own,
      {
        ...{ ":method": "POST", ":path": PROCEDURES.listEvents, "content-type": type },
        authorization: `Bearer ${marquee.keys.public}`,
        "connect-protocol-version": "1",
      },
      "",
    );
  const got = [await post("application/proto"), await post("application/json")];
  expect(got.map(({ status }) => status)).toEqual([200, 400]);
});

/** An error names the type as the request does, where the library adds the codec. */
const withoutProto = ({ type, ...more }: ReturnType<typeof understood>) => ({
  ...more,
  type: type.replace(/\+proto$/, ""),
});
