import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { HTTP_LIMITS } from "../../../src/http/server/limits.ts";
import { ReadyHead, writeReady } from "../../../src/http/server/ready-head.ts";

const BODY = Buffer.from("a body");
const HEADERS = { "content-type": "application/json", etag: '"e"', "x-name": "J\u00fcrgen" };
const OWN = ["x-request-id", "r-1"];

/** Sends requests on one connection, and returns all that comes back until it is closed, with one date for all. */
async function exchange(listener: RequestListener, requests: string): Promise<string> {
  const server = createServer({ keepAliveTimeout: HTTP_LIMITS.idleTimeout }, listener).listen(0);
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").setEncoding("latin1");
  socket.write(requests);
  const received = await text(socket);
  server.close();
  return received.replaceAll(/^Date: .{29}\r$/gm, "Date: today\r");
}

const GET = "GET / HTTP/1.1\r\nHost: x\r\n";
const LAST = `${GET}Connection: close\r\n\r\n`;

test.each([
  ["an answer", 200, [], BODY],
  ["an answer without a body", 200, [], Buffer.alloc(0)],
  ["an answer with headers of its own", 200, OWN, BODY],
  ["a 304", 304, [], undefined],
  ["a 304 with headers of its own", 304, OWN, undefined],
] as const)("%s has the bytes that writeHead and end write", async (_, status, own, body) => {
  const length = body && { "content-length": String(body.length) };
  const head = new ReadyHead(status, { ...HEADERS, ...length });
  const ready = await exchange((_, response) => {
    writeReady(response, head, own);
    response.end(body);
  }, `${GET}\r\n${GET}\r\n${LAST}`);
  const plain = await exchange((_, response) => {
    response.writeHead(status, [...head.headers, ...own]).end(body);
  }, `${GET}\r\n${GET}\r\n${LAST}`);
  expect(ready).toBe(plain);
  expect(ready.match(/HTTP\/1\.1 /g)).toHaveLength(3);
});

test("a response tells its status, and that it is sent", async () => {
  const head = new ReadyHead(304, HEADERS);
  let told: unknown;
  await exchange((_, response) => {
    writeReady(response, head, []);
    response.end();
    const { headersSent, statusCode, writableEnded } = response;
    told = { headersSent, statusCode, writableEnded };
  }, `${GET}\r\n${LAST}`);
  expect(told).toEqual({ headersSent: true, statusCode: 304, writableEnded: true });
});

test("a header that would end its line is refused", () => {
  const head = new ReadyHead(200, { "x-name": "a\r\nset-cookie: b" });
  expect(() => head.text).toThrow(expect.objectContaining({ code: "ERR_INVALID_CHAR" }));
});
