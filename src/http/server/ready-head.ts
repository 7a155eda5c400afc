import { http } from "../../network/node-http.ts";
import type { NodeResponse } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";

/** Alternating names and values, the form that Node writes fastest over HTTP/2. */
export type RawHeaders = readonly string[];

/** The status and headers of an answer that is sent many times. */
export class ReadyHead {
  readonly status: 200 | 304;
  /** All headers but those that belong to the request, such as its id. */
  readonly headers: RawHeaders;
  #text: string | undefined;

  constructor(status: 200 | 304, headers: Readonly<Record<string, string>>) {
    this.status = status;
    this.headers = Object.entries(headers).flat();
  }

  /** The status line and the headers as HTTP/1.1 sends them. */
  get text(): string {
    const { status, headers } = this;
    this.#text ??= toText([`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`, ...toLines(headers)]);
    return this.#text;
  }
}

/**
 * Writes a head that is ready over HTTP/1.1, and further headers, before the body.
 *
 * `writeHead` checks and joins all headers again for each answer, which takes a quarter of the time of a hot list. A head
 * under Node's own name for it is written as it is; `ready-head.test.ts` holds the bytes equal to those of `writeHead`.
 */
export function writeReady(response: NodeResponse, head: ReadyHead, more: RawHeaders): void {
  if (response.shouldKeepAlive) {
    response.statusCode = head.status;
    const own = more.length === 0 ? "" : toText(toLines(more));
    (response as ResponseWithHead)._header = `${head.text}${own}${findLastLines()}`;
  } else {
    response.writeHead(head.status, [...head.headers, ...more]);
  }
}

/** A response of Node as its own methods see it. */
interface ResponseWithHead extends NodeResponse {
  /** The whole head, from the status line to the empty line. */
  _header: string;
}

function toLines(headers: RawHeaders): readonly string[] {
  const lines: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? "";
    const value = headers[index + 1] ?? "";
    http.validateHeaderValue(name, value);
    lines.push(`${name}: ${value}`);
  }
  return lines;
}

/** Joins lines at once: a text of many parts would be copied part by part for each answer. */
function toText(lines: readonly string[]): string {
  return [...lines, ""].join("\r\n");
}

let lastLines = "";
let lastSecond = 0;

/** Returns the lines that Node ends a head with, the same for a second. */
function findLastLines(): string {
  const now = Date.now();
  const second = Math.floor(now / 1_000);
  if (second !== lastSecond) {
    lastSecond = second;
    const date = new Date(now).toUTCString();
    const timeout = `timeout=${HTTP_LIMITS.idleTimeout / 1_000}`;
    lastLines = toText([`Date: ${date}`, "Connection: keep-alive", `Keep-Alive: ${timeout}`, ""]);
  }
  return lastLines;
}
