import http from "node:http";
import http2 from "node:http2";
import { unframe } from "../../test/harness/grpc-frame.ts";
import type { FuzzRequest } from "./requests.ts";

/** The response to a request. */
export interface FuzzResponse {
  readonly status: number;
  /** The code of gRPC and gRPC-Web; absent in every other protocol. */
  readonly grpcStatus?: number;
  /** Headers, body and trailers, as text. */
  readonly text: string;
}

/** Sends requests to one service over persistent connections. */
export interface Transport {
  /** Returns the response, or undefined if the caller hung up; throws if none arrives. */
  send(request: FuzzRequest): Promise<FuzzResponse | undefined>;
  close(): void;
}

/** The longest wait for a response, in milliseconds. */
const LONGEST_WAIT = 10_000;

const STREAMS_A_CONNECTION = 500;

/** Opens the connections to a service. */
export function createTransport(origin: string, connections: number): Transport {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  let session: http2.ClientHttp2Session | undefined;
  let streams = 0;

  /** Node's client keeps rejected bodies in the memory of their connection. */
  function openSession(): http2.ClientHttp2Session {
    streams += 1;
    if (streams % STREAMS_A_CONNECTION === 0) {
      const last = session;
      setTimeout(() => last?.close(), LONGEST_WAIT).unref();
      session = undefined;
    }
    if (session === undefined || session.closed || session.destroyed) {
      session = http2.connect(origin, { maxSessionMemory: 200 });
      session.on("error", () => {});
    }
    return session;
  }

  return {
    send: (request) =>
      request.protocol === "http1"
        ? sendHttp1(origin, agent, request)
        : sendHttp2(openSession(), request),
    close() {
      agent.destroy();
      session?.destroy();
    },
  };
}

function sendHttp1(
  origin: string,
  agent: http.Agent,
  { method, path, headers, body, hangUpAfter }: FuzzRequest,
): Promise<FuzzResponse | undefined> {
  return new Promise((resolve, reject) => {
    // Node frames the body of a GET or DELETE only with a known length.
    const length = body === undefined ? {} : { "content-length": `${body.length}` };
    const call = http.request(origin, { agent, method, path, headers: { ...headers, ...length } });
    const timer = hangUpOrGiveUp(hangUpAfter, () => call.destroy(), resolve, reject);
    call.on("error", reject);
    call.on("close", () => {
      clearTimeout(timer);
      reject(new Error("closed without a whole response"));
    });
    call.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        resolve(toResponse(response.statusCode ?? 0, response.headers, Buffer.concat(chunks)));
      });
    });
    call.end(body);
  });
}

function sendHttp2(
  session: http2.ClientHttp2Session,
  { method, path, headers, body, hangUpAfter }: FuzzRequest,
): Promise<FuzzResponse | undefined> {
  return new Promise((resolve, reject) => {
    const stream = session.request(
      { ":method": method, ":path": path, ...headers },
      { endStream: body === undefined },
    );
    const hangUp = () => stream.close(http2.constants.NGHTTP2_CANCEL);
    const timer = hangUpOrGiveUp(hangUpAfter, hangUp, resolve, reject);
    let received: http2.IncomingHttpHeaders | undefined;
    const chunks: Buffer[] = [];
    stream.on("response", (all) => {
      received = all;
    });
    stream.on("trailers", (all) => {
      received = { ...received, ...all };
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", reject);
    stream.on("close", () => {
      clearTimeout(timer);
      if (received === undefined) reject(new Error(`reset with code ${stream.rstCode}`));
      else resolve(toResponse(Number(received[":status"]), received, Buffer.concat(chunks)));
    });
    if (body !== undefined) stream.end(body);
  });
}

function hangUpOrGiveUp(
  hangUpAfter: number | undefined,
  hangUp: () => void,
  resolve: (response: undefined) => void,
  reject: (error: Error) => void,
): NodeJS.Timeout {
  const isMeant = hangUpAfter !== undefined;
  return setTimeout(() => {
    if (isMeant) resolve(undefined);
    else reject(new Error(`no response within ${LONGEST_WAIT} ms`));
    hangUp();
  }, hangUpAfter ?? LONGEST_WAIT);
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

function toResponse(status: number, headers: Headers, body: Buffer): FuzzResponse {
  const type = String(headers["content-type"] ?? "");
  const grpcStatus = type.startsWith("application/grpc")
    ? readGrpcStatus(headers, type, body)
    : undefined;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return {
    status,
    ...(grpcStatus !== undefined && { grpcStatus }),
    text: `${lines.join("\n")}\n\n${body.toString("utf8")}`,
  };
}

function readGrpcStatus(headers: Headers, type: string, body: Buffer): number | undefined {
  const header = headers["grpc-status"];
  if (header !== undefined) return Number(header);
  if (!type.startsWith("application/grpc-web")) return undefined;
  const trailers = unframe(body).find(({ flags }) => (flags & 0x80) !== 0);
  const match = /grpc-status: ?(\d+)/i.exec(String(trailers?.data));
  return match === null ? undefined : Number(match[1]);
}
