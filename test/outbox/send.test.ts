import { lookup } from "node:dns/promises";
import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { createResolveName } from "../../src/network/resolve-name.ts";
import { createSender, type SenderOptions } from "../../src/outbox/send.ts";
import { openCases } from "../harness/cases.ts";
import { startNameServer } from "../harness/name-server.ts";
import { type Receiver, startReceiver, startTcpReceiver } from "./receiver.ts";

const each = openCases("outbox/send");

const BODY = '{"name":"Ä 🎬"}';
const HEADERS = { "content-type": "application/json", "webhook-id": "a" };

function open(options: Partial<SenderOptions> = {}) {
  const sender = createSender({ allowPrivateTargets: true, ...options });
  onTestFinished(sender.close);
  return sender;
}

async function keep(starting: Promise<Receiver>): Promise<Receiver> {
  const receiver = await starting;
  onTestFinished(receiver.close);
  return receiver;
}

const receive = (respond: RequestListener) => keep(startReceiver(respond));
const accept = (onConnection: (socket: Socket) => void) => keep(startTcpReceiver(onConnection));
const send = (url: string, options?: Partial<SenderOptions>) =>
  open(options).send({ url, headers: HEADERS, body: BODY });

const respondWith =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end("response");

/** The headers that a sender writes by itself. */
const headersOf = ({ port }: Receiver) => ({
  host: `127.0.0.1:${port}`,
  "content-length": String(Buffer.byteLength(BODY)),
  connection: "close",
});

describe("a request", () => {
  test("comes as it was given, on a connection of its own", async () => {
    const receiver = await receive(respondWith(200));
    const { send } = open();
    const request = { url: `${receiver.url}/hook?a=b`, headers: HEADERS, body: BODY };
    expect(await send(request)).toEqual({ kind: "responded", status: 200 });
    expect(await send(request)).toEqual({ kind: "responded", status: 200 });
    expect(receiver.connections()).toBe(2);
    expect(receiver.requests).toHaveLength(2);
    for (const got of receiver.requests) {
      expect(got).toMatchObject({ method: "POST", path: "/hook?a=b", body: BODY });
      expect(got.headers).toEqual({ ...HEADERS, ...headersOf(receiver) });
    }
  });

  test("with an empty body says so", async () => {
    const receiver = await receive(respondWith(200));
    await open().send({ url: receiver.url, headers: {}, body: "" });
    expect(receiver.requests[0]?.headers).toMatchObject({ "content-length": "0" });
  });

  test("with a header that cannot be written fails", async () => {
    const receiver = await receive(respondWith(200));
    const headers = { a: "b\r\nc: d" };
    expect(await open().send({ url: receiver.url, headers, body: "" })).toEqual({
      kind: "failed",
      reason: "CONNECTION_FAILED",
      detail: "ERR_INVALID_CHAR",
    });
    expect(receiver.connections()).toBe(0);
  });

  test("finds a name as the machine does", async () => {
    const receiver = await receive(respondWith(200));
    const outcome = await send(`http://localhost:${receiver.port}`);
    expect(outcome).toEqual({ kind: "responded", status: 200 });
  });
});

describe("a response", () => {
  each<[number]>("a response is reported", async (status) => {
    const { url } = await receive(respondWith(status));
    expect(await send(url)).toEqual({ kind: "responded", status });
  });

  test("says when to come again", async () => {
    const { url } = await receive(respondWith(503, { "retry-after": "120" }));
    expect(await send(url)).toEqual({ kind: "responded", status: 503, retryAfterSeconds: 120 });
  });

  each<[number]>("a redirect is a failure, and nobody goes there", async (status) => {
    const other = await receive(respondWith(200));
    const { url } = await receive(respondWith(status, { location: other.url }));
    expect(await send(url)).toEqual({
      kind: "failed",
      reason: "REDIRECTED",
      detail: `status ${status}`,
    });
    expect(other.connections()).toBe(0);
  });

  test("of 10 MB is cut", async () => {
    let whole: boolean | undefined;
    const { url } = await receive((_request, response) => {
      response.on("close", () => {
        whole = response.writableFinished;
      });
      response.end(Buffer.alloc(10_000_000));
    });
    expect(await send(url)).toEqual({ kind: "responded", status: 200 });
    await expect.poll(() => whole).toBe(false);
  });

  test.each([
    [10, "on", "TIMEOUT"],
    [11, "on", "responded"],
  ] as const)(
    "of %s bytes that goes %s ends with %s where 10 are read",
    async (size, _drips, want) => {
      const { url } = await receive((_request, response) => {
        response.writeHead(200).write("a".repeat(size));
      });
      const outcome = await send(url, { maxResponseBytes: 10, timeout: 500 });
      expect(outcome.kind === "failed" ? outcome.reason : outcome.kind).toBe(want);
    },
  );

  test("that breaks off is none", async () => {
    const { url } = await receive((_request, response) => {
      response.writeHead(200, { "content-length": "100" }).write("a");
      setTimeout(() => response.destroy(), 50);
    });
    const outcome = await send(url);
    expect(outcome).toMatchObject({ kind: "failed", reason: "CONNECTION_FAILED" });
  });
});

describe("a receiver that", () => {
  const detail = "no complete response within 300 ms";
  const timedOut = { kind: "failed", reason: "TIMEOUT", detail };

  async function expectTimeout(url: string) {
    const start = performance.now();
    expect(await send(url, { timeout: 300 })).toEqual(timedOut);
    const time = performance.now() - start;
    expect(time).toBeGreaterThan(250);
    expect(time).toBeLessThan(3_000);
  }

  test("hangs before its headers takes the whole time, and loses the connection", async () => {
    let isGone = false;
    const { url } = await accept((socket) => {
      socket.resume().on("close", () => {
        isGone = true;
      });
    });
    await expectTimeout(url);
    await expect.poll(() => isGone).toBe(true);
  });

  const interim = "HTTP/1.1 103 Early Hints\r\n\r\n";

  test.each([
    ["headers", "HTTP/1.1 200 OK\r\n", "a: b\r\n"],
    ["interim responses", interim, interim],
  ])("drips its %s takes no more time", async (_what, first, more) => {
    const { url } = await accept((socket) => drip(socket, first, more));
    await expectTimeout(url);
  });

  test("drips its body takes no more time", async () => {
    const { url } = await receive((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("a"), 20);
      response.on("close", () => clearInterval(timer));
    });
    await expectTimeout(url);
  });

  test("has a name that takes longer than that to find has all of its time after it", async () => {
    const { port } = await receive(respondWith(200));
    const resolve = () => sleep(400, ["127.0.0.1"]);
    const outcome = await send(`http://hooks.example:${port}/`, { resolve, timeout: 300 });
    expect(outcome).toEqual({ kind: "responded", status: 200 });
  });

  test("has a name that nobody finds in time is not waited for", async () => {
    const names = await startNameServer(() => "swallow");
    onTestFinished(names.close);
    const resolve = createResolveName({ servers: [names.address], limit: 300 });
    expect(await send("http://hooks.example/", { resolve, timeout: 60_000 })).toEqual({
      ...{ kind: "failed", reason: "NAME_TIMEOUT" },
      detail: "the host's name was not resolved in time",
    });
    expect(names.asked).toContain("hooks.example");
  });

  const broken = { kind: "failed", reason: "CONNECTION_FAILED" };

  test.each<[what: string, respond: string]>([
    ["closes the connection", ""],
    ["closes it within the headers", "HTTP/1.1 200 OK\r\n"],
    ["speaks no HTTP", "220 mail.example ESMTP\r\n"],
    ["says two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na"],
    ["has headers without end", `HTTP/1.1 200 OK\r\na: ${"b".repeat(100_000)}`],
    ["changes the protocol", "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: a\r\n\r\n"],
  ])("%s has not responded", async (_what, respond) => {
    const { url } = await accept((socket) => socket.once("data", () => socket.end(respond)));
    expect(await send(url)).toMatchObject(broken);
  });

  test.each([
    ["is informational", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1_200)],
    ["sends empty lines", "\r\n".repeat(20_000)],
  ])("%s without end has not responded", async (_what, lines) => {
    const { url } = await accept((socket) => socket.once("data", () => socket.write(lines)));
    expect(await send(url)).toMatchObject(broken);
  });

  test("is informational before a large response has responded", async () => {
    const hints = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100);
    const response = `HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n${"a".repeat(60_000)}`;
    const { url } = await accept((socket) =>
      socket.once("data", () => socket.write(hints + response)),
    );
    expect(await send(url)).toEqual({ kind: "responded", status: 200 });
  });

  test("resets the connection has not responded", async () => {
    const { url } = await accept((socket) => socket.once("data", () => socket.resetAndDestroy()));
    expect(await send(url)).toEqual({ ...broken, detail: "ECONNRESET" });
  });

  test("is unavailable has not responded, and the detail names no IP address", async () => {
    const receiver = await startReceiver(respondWith(200));
    await receiver.close();
    expect(await send(receiver.url)).toEqual({ ...broken, detail: "ECONNREFUSED" });
  });

  test("closes the connection behind its response has responded", async () => {
    const { url } = await accept((socket) =>
      socket.once("data", () => socket.end("HTTP/1.0 202 OK\r\n\r\nbody")),
    );
    expect(await send(url)).toEqual({ kind: "responded", status: 202 });
  });
});

describe("a name", () => {
  const fail = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

  test.each<[string, SenderOptions["resolve"], string]>([
    ["that does not exist", fail("ENOTFOUND"), "NAME_NOT_FOUND"],
    ["without an address", fail("ENODATA"), "NAME_NOT_FOUND"],
    ["with an empty list", async () => [], "NAME_NOT_FOUND"],
    ["that no server knows", fail("ETIMEOUT"), "NAME_TIMEOUT"],
    ["whose servers fail", fail("EAI_AGAIN"), "CONNECTION_FAILED"],
  ])("%s", async (_what, resolve = lookupAll, reason) => {
    const outcome = await send("http://hooks.example/", { resolve });
    expect(outcome).toMatchObject({ kind: "failed", reason });
  });

  test("with several addresses is tried at each", async () => {
    const { port } = await keep(startReceiver(respondWith(200), { host: "127.0.0.2" }));
    const outcome = await send(`http://hooks.example:${port}/`, {
      resolve: async () => ["127.0.0.1", "127.0.0.2"],
    });
    expect(outcome).toEqual({ kind: "responded", status: 200 });
  });
});

describe("close", () => {
  const closed = { kind: "failed", reason: "CONNECTION_FAILED", detail: "the sender was closed" };

  test("ends what is under way and what comes later", async () => {
    const receiver = await accept((socket) => socket.resume());
    const sender = open();
    const request = { url: receiver.url, headers: {}, body: "" };
    const running = Promise.all([sender.send(request), sender.send(request)]);
    await expect.poll(receiver.connections).toBe(2);
    sender.close();
    expect(await running).toEqual([closed, closed]);
    expect(await sender.send(request)).toEqual(closed);
    await sleep(20);
    expect(receiver.connections()).toBe(2);
  });

  test("ends the search for a name", async () => {
    const names = await startNameServer(() => "swallow");
    onTestFinished(names.close);
    const resolve = createResolveName({ servers: [names.address], limit: 60_000 });
    const sender = open({ resolve });
    const running = sender.send({ url: "http://hooks.example/", headers: {}, body: "" });
    await expect.poll(() => names.asked.size).toBe(1);
    sender.close();
    expect(await running).toEqual(closed);
  });
});

async function lookupAll(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

function drip(socket: Socket, first: string, more: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(more), 20);
  socket.resume().on("close", () => clearInterval(timer));
}
