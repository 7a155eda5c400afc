import { once } from "node:events";
import net from "node:net";

/** An HTTP/1.1 response as its bytes say it. Header names are in lower case. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A TCP connection on which a test writes and reads what it likes. */
export interface RawSocket {
  readonly socket: net.Socket;
  write(bytes: string | Uint8Array): void;
  /** Writes one byte at a time, each in a packet of its own. */
  drip(bytes: string | Uint8Array): Promise<void>;
  /** Reads the next response; throws if the connection closes before it is whole. */
  response(options?: { bodyless?: boolean }): Promise<RawResponse>;
  /** Waits until the server has closed the connection; returns what came and was not read. */
  closed(): Promise<string>;
  destroy(): void;
}

/** Connects to the host and port of a URL. */
export async function connectRaw(url: string): Promise<RawSocket> {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");
  let seen = Buffer.alloc(0);
  let isClosed = false;
  let wake = () => {};
  socket.on("data", (chunk) => {
    seen = Buffer.concat([seen, chunk]);
    wake();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
    wake();
  });
  const more = async () => {
    if (isClosed) throw new Error(`closed after ${JSON.stringify(String(seen))}`);
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  };

  return {
    socket,
    write: (bytes) => void socket.write(bytes),
    async drip(bytes) {
      for (const byte of Buffer.from(bytes as Uint8Array)) {
        socket.write(Uint8Array.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    async response({ bodyless = false } = {}) {
      for (;;) {
        const parsed = parseResponse(seen, bodyless);
        if (parsed !== undefined) {
          seen = seen.subarray(parsed.length);
          if (parsed.response.status >= 200) return parsed.response;
        } else {
          await more();
        }
      }
    },
    async closed() {
      while (!isClosed) await more();
      return String(seen);
    },
    destroy: () => void socket.destroy(),
  };
}

/** Writes the head of an HTTP/1.1 request: with a good Host unless the headers hold another. */
export function head(line: string, headers: Readonly<Record<string, string>> = {}): string {
  const all = { Host: "localhost", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** Writes a body in chunks of a size. */
export function chunked(body: Uint8Array, size = 64 * 1024): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let start = 0; start < body.length; start += size) {
    const part = body.subarray(start, start + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

function parseResponse(
  bytes: Buffer,
  bodyless: boolean,
): { response: RawResponse; length: number } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const status = Number(first.split(" ")[1]);
  const headers = Object.fromEntries(
    lines.map((line) => {
      const mark = line.indexOf(":");
      return [line.slice(0, mark).toLowerCase(), line.slice(mark + 1).trim()];
    }),
  );
  const start = end + 4;
  if (status < 200 || bodyless) return { response: { status, headers, text: "" }, length: start };
  if (headers["transfer-encoding"] === "chunked") return parseChunks(bytes, start, status, headers);
  const length = start + Number(headers["content-length"] ?? 0);
  if (bytes.length < length) return undefined;
  return { response: { status, headers, text: bytes.toString("utf8", start, length) }, length };
}

function parseChunks(
  bytes: Buffer,
  from: number,
  status: number,
  headers: Record<string, string>,
): { response: RawResponse; length: number } | undefined {
  let text = "";
  let start = from;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", start);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", start, lineEnd), 16);
    if (size === 0) {
      const end = bytes.indexOf("\r\n\r\n", lineEnd);
      if (end === -1) return undefined;
      return { response: { status, headers, text }, length: end + 4 };
    }
    start = lineEnd + 2 + size + 2;
    if (bytes.length < start) return undefined;
    text += bytes.toString("utf8", lineEnd + 2, start - 2);
  }
}
