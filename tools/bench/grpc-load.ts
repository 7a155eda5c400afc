import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { frame } from "../../test/harness/grpc-frame.ts";
import { createHeaderEncoder } from "./hpack.ts";
import type { BenchRequest, Turns } from "./load.ts";

/** Windows of flow control that no response fills, as gRPC clients have. */
const STREAM_WINDOW = 2 ** 20;
const SESSION_WINDOW = 2 ** 24;

/** The bytes between updates of the connection's window. */
const WINDOW_STEP = 2 ** 22;

/** Types and flags of frames (RFC 9113 6). */
const DATA = 0;
const HEADERS = 1;
const RESET = 3;
const SETTINGS = 4;
const PING = 6;
const GOAWAY = 7;
const WINDOW_UPDATE = 8;
const END_STREAM = 1;
const ACK = 1;
const END_HEADERS = 4;

const INITIAL_WINDOW_SIZE = 4;
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
const FRAME_HEAD = 9;
const NOTHING = Buffer.alloc(0);

/**
 * Sends gRPC requests over one connection with so many streams at the same time, until there are no more. Returns the
 * number of responses. The first request is sent twice. The first time, by Node's client, throws for an HTTP status
 * other than 200 or a gRPC status other than 0. Later requests throw for a response without a message.
 *
 * Node's client takes about three times the CPU of a bare server for a response, and would hide the speed of the
 * server: this one counts frames.
 */
export async function sendGrpc({ port, next }: Turns, streams: number): Promise<number> {
  const first = next();
  if (first === undefined) return 0;
  await check(port, first);
  return new Promise((resolve, reject) => {
    const encodeHeaders = createHeaderEncoder();
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    /** The bytes of messages by stream. */
    const open = new Map<number, { readonly request: BenchRequest; length: number }>();
    let completed = 0;
    let nextId = 1;
    let unopened = 0;
    let output: Uint8Array[] = [];

    const send = (request: BenchRequest | undefined) => {
      if (request === undefined) return;
      const { method, path, headers, body } = request;
      const pseudo = {
        ":method": method,
        ":scheme": "http",
        ":path": path,
        ":authority": "127.0.0.1",
      };
      const block = encodeHeaders(Object.entries({ ...pseudo, ...headers }));
      const data = frame(Buffer.from(body ?? ""));
      output.push(
        toFrame(HEADERS, END_HEADERS, nextId, block),
        toFrame(DATA, END_STREAM, nextId, data),
      );
      open.set(nextId, { request, length: 0 });
      nextId += 2;
    };
    const flush = () => {
      if (output.length > 0) socket.write(Buffer.concat(output));
      output = [];
    };
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };

    const onFrame = (type: number, flags: number, id: number, length: number, payload: Buffer) => {
      const stream = open.get(id);
      if (type === DATA) {
        unopened += length;
        if (unopened >= WINDOW_STEP) {
          output.push(toFrame(WINDOW_UPDATE, 0, 0, toUint32(unopened)));
          unopened = 0;
        }
        if (stream !== undefined) stream.length += length;
      }
      if ((type === SETTINGS || type === PING) && (flags & ACK) === 0) {
        output.push(toFrame(type, ACK, 0, type === PING ? Buffer.from(payload) : NOTHING));
      }
      if (type === RESET || type === GOAWAY) fail(new Error(`a frame of type ${type}`));
      const isEnd = (type === DATA || type === HEADERS) && (flags & END_STREAM) !== 0;
      if (!isEnd || stream === undefined) return;
      open.delete(id);
      if (stream.length === 0) {
        const { path } = stream.request;
        fail(new Error(`${path}: a response without a message`));
        return;
      }
      completed += 1;
      send(next());
    };
    const read = createFrameReader(onFrame);

    socket
      .once("connect", () => {
        const window = Buffer.concat([
          Uint8Array.of(0, INITIAL_WINDOW_SIZE),
          toUint32(STREAM_WINDOW),
        ]);
        output.push(PREFACE, toFrame(SETTINGS, 0, 0, window));
        output.push(toFrame(WINDOW_UPDATE, 0, 0, toUint32(SESSION_WINDOW)));
        send(first);
        for (let count = 1; count < streams; count += 1) send(next());
        flush();
      })
      .on("data", (chunk) => {
        read(chunk);
        flush();
        if (open.size > 0) return;
        socket.destroy();
        resolve(completed);
      })
      .once("error", reject)
      .once("close", () => reject(new Error("closed without a response")));
  });
}

function toFrame(type: number, flags: number, id: number, payload: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(FRAME_HEAD + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt8(flags, 4);
  bytes.writeUInt32BE(id, 5);
  bytes.set(payload, FRAME_HEAD);
  return bytes;
}

function toUint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Receives a frame; of DATA and HEADERS without the payload, which is skipped. */
type OnFrame = (type: number, flags: number, id: number, length: number, payload: Buffer) => void;

/** Reads the frames of a connection. */
function createFrameReader(onFrame: OnFrame): (chunk: Buffer) => void {
  let kept: Buffer = NOTHING;
  /** Bytes of a payload that are to be skipped. */
  let left = 0;
  return (chunk) => {
    let data = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
    kept = NOTHING;
    for (;;) {
      const skipped = Math.min(left, data.length);
      left -= skipped;
      data = data.subarray(skipped);
      if (data.length < FRAME_HEAD) break;
      const length = data.readUIntBE(0, 3);
      const [, , , type = 0, flags = 0] = data;
      const id = data.readUInt32BE(5);
      const isSkipped = type === DATA || type === HEADERS;
      if (!isSkipped && data.length < FRAME_HEAD + length) break;
      const end = isSkipped ? FRAME_HEAD : FRAME_HEAD + length;
      onFrame(type, flags, id, length, data.subarray(FRAME_HEAD, end));
      data = data.subarray(end);
      if (isSkipped) left = length;
    }
    kept = Buffer.from(data);
  };
}

/** Sends a request by Node's client; a response other than a message and the status 0 throws. */
async function check(port: number, request: BenchRequest): Promise<void> {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  try {
    await new Promise<void>((resolve, reject) => {
      session.once("error", reject);
      const { method, path, headers } = request;
      const stream = session.request({ ":method": method, ":path": path, ...headers });
      let status: number | undefined;
      let grpcStatus: unknown;
      let message: unknown;
      let length = 0;
      stream.on("response", (response) => {
        status = response[":status"];
        // A response without a message has its status in the headers.
        grpcStatus = response["grpc-status"];
        message = response["grpc-message"];
      });
      stream.on("data", (chunk: Buffer) => {
        length += chunk.length;
      });
      stream.on("trailers", (trailers) => {
        grpcStatus = trailers["grpc-status"];
        message = trailers["grpc-message"];
      });
      stream.on("error", reject);
      stream.on("close", () => {
        if (status === 200 && grpcStatus === "0" && length > 0) resolve();
        else reject(new Error(`${path}: ${status}, grpc-status ${grpcStatus}: ${message}`));
      });
      stream.end(frame(Buffer.from(request.body ?? "")));
    });
  } finally {
    session.destroy();
  }
}
