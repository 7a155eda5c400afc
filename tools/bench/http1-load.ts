import { connect } from "node:net";
import type { BenchRequest, Turns } from "./load.ts";

/** Bytes read at a time, more than most responses have. */
const BUFFER = 64 * 1024;

/**
 * Sends requests over a connection, each after the response to the one before, until there are no more. Returns the
 * number of responses; a response of another status throws.
 *
 * A client of full HTTP takes longer than a bare server and would hide the speed of the server. This one reads a
 * response's status and length, and skips its body.
 */
export function sendHttp1({ port, next, status }: Turns): Promise<number> {
  return new Promise((resolve, reject) => {
    let completed = 0;
    let request: BenchRequest | undefined;
    const send = () => {
      request = next();
      if (request === undefined) {
        socket.destroy();
        resolve(completed);
      } else {
        socket.write(toBytes(request));
      }
    };
    const read = createResponseReader((got, text) => {
      if (got === status) {
        completed += 1;
        send();
      } else {
        reject(new Error(`${request?.path}: ${got} instead of ${status}: ${text}`));
        socket.destroy();
      }
    });
    // One buffer for all responses: a new one for each costs more than reading it.
    const buffer = Buffer.alloc(BUFFER);
    const socket = connect({
      ...{ port, host: "127.0.0.1", noDelay: true },
      onread: {
        buffer,
        callback(count) {
          read(buffer.subarray(0, count));
          return true;
        },
      },
    });
    socket
      .once("connect", send)
      .once("error", reject)
      .once("close", () => reject(new Error(`${request?.path}: closed without a response`)));
  });
}

const encoded = new WeakMap<BenchRequest, Buffer>();

function toBytes(request: BenchRequest): Buffer {
  const known = encoded.get(request);
  if (known !== undefined) return known;
  const body = Buffer.from(request.body ?? "");
  const headers = Object.entries({
    host: "127.0.0.1",
    ...request.headers,
    ...(request.body !== undefined && { "content-length": String(body.length) }),
  });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = `${request.method} ${request.path} HTTP/1.1\r\n${lines}\r\n`;
  const bytes = Buffer.concat([Buffer.from(head), body]);
  encoded.set(request, bytes);
  return bytes;
}

const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = Buffer.from("0\r\n\r\n");
const NOTHING = Buffer.alloc(0);

/**
 * Reads the responses of one connection, which come one at a time, and reports each at its end, with the text of a
 * failed one. Its input may be overwritten afterwards.
 */
function createResponseReader(
  onResponse: (status: number, text: string) => void,
): (chunk: Buffer) => void {
  /** The start of a head, or the last bytes of a body in chunks. */
  let kept: Buffer = NOTHING;
  let status = 0;
  let text = "";
  /** Bytes of the body that are to come; undefined in a head, infinite for a body in chunks. */
  let left: number | undefined;
  return (chunk) => {
    let body = chunk;
    if (left === undefined) {
      const data = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
      const end = data.indexOf(HEAD_END);
      if (end < 0) {
        kept = Buffer.from(data);
        return;
      }
      kept = NOTHING;
      const head = data.toString("latin1", 0, end);
      body = data.subarray(end + HEAD_END.length);
      status = Number(head.slice(9, 12));
      text = status < 400 ? "" : body.toString();
      left = readLength(head, status);
    }
    if (left === Number.POSITIVE_INFINITY) {
      kept = Buffer.concat([kept, body.subarray(-LAST_CHUNK.length)]).subarray(-LAST_CHUNK.length);
      if (!kept.equals(LAST_CHUNK)) return;
      kept = NOTHING;
    } else {
      left -= body.length;
      if (left > 0) return;
    }
    left = undefined;
    onResponse(status, text);
  };
}

function readLength(head: string, status: number): number {
  if (status === 204 || status === 304) return 0;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return Number.POSITIVE_INFINITY;
  throw new Error(`a response without a length: ${head}`);
}
