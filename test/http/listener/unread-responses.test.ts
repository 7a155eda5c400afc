import http2 from "node:http2";
import net from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Exchange } from "../../../src/http/listener/exchange.ts";
import { Listener } from "../../../src/http/listener/listener.ts";
import { RequestMetrics } from "../../../src/http/listener/request-metrics.ts";
import { sendResponse } from "../../../src/http/listener/send.ts";
import { UnreadResponses } from "../../../src/http/listener/unread-responses.ts";
import { head } from "../../harness/raw-socket.ts";

const MIB = 1024 * 1024;

/** The memory of all answers; those to one credential may take half of it. */
const MOST = 128 * MIB;

/** As large as eight of them are as much as one credential may have: more than a connection holds by itself. */
const SIZE = 8 * MIB;

let unread: UnreadResponses;
let listener: Listener;
let port: number;
/** The names of the answers that were not taken, in the order in which they were given up. */
let cut: string[];
const readers: (() => void)[] = [];

beforeEach(async () => {
  unread = new UnreadResponses(MOST);
  const given: string[] = [];
  cut = given;
  listener = new Listener({
    keepsAlive: true,
    onRequest(request, response) {
      const [, name = "", size = ""] = request.url?.split(/[/?]/) ?? [];
      response.on("error", () => {});
      response.once("close", () => {
        if (!response.writableFinished) given.push(name);
      });
      const exchange = new Exchange(request, response, {
        findClient: () => ({ address: "", trustsHeaders: false }),
        unread,
        cors: () => ({}),
        requests: new RequestMetrics(),
      });
      sendResponse(exchange, { status: 200, headers: {}, body: Buffer.alloc(Number(size), "x") });
    },
    onUnreadable: (_fault, socket) => void socket.destroy(),
  });
  port = await listener.listen({ host: "127.0.0.1", port: 0, reusePort: false });
});
afterEach(async () => {
  for (const close of readers.splice(0)) close();
  await listener.close(0);
});

/** Asks for an answer of a size by a credential, and takes nothing of it. */
type Ask = (name: string, token: string, size?: number) => Promise<void>;

async function untilHeld(bytes: number, ask: () => void): Promise<void> {
  ask();
  await vi.waitFor(() => expect(unread.bytes).toBe(bytes), { timeout: 30_000 });
}

const VERSIONS: Readonly<Record<string, Ask>> = {
  "HTTP/1.1, on a connection that is not read": async (name, token, size = SIZE) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    socket.write(head(`GET /${name}/${size}`, { authorization: `Bearer ${token}` }));
    readers.push(() => socket.destroy());
  },
  "HTTP/1.1, with the key in the URL": async (name, token, size = SIZE) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    socket.write(head(`GET /${name}/${size}?key=${token}`));
    readers.push(() => socket.destroy());
  },
  "HTTP/2, with a window of 0": async (name, token, size = SIZE) => {
    const session = http2.connect(`http://127.0.0.1:${port}`, {
      settings: { initialWindowSize: 0 },
    });
    session.on("error", () => {});
    const stream = session.request({
      ":path": `/${name}/${size}`,
      authorization: `Bearer ${token}`,
    });
    stream.on("error", () => {});
    stream.pause();
    readers.push(() => session.destroy());
  },
};

describe.each(Object.entries(VERSIONS))("answers over %s", (_, ask) => {
  test("of one credential wait up to half of the memory, and one more takes the place of the slowest", async () => {
    for (let index = 1; index <= 8; index += 1) {
      await untilHeld(index * SIZE, () => ask(`a${index}`, "a"));
    }
    expect([unread.bytes, unread.cut, cut]).toEqual([MOST / 2, 0, []]);
    await ask("a9", "a");
    await vi.waitFor(() => expect(cut).toEqual(["a1"]), { timeout: 30_000 });
    expect([unread.bytes, unread.cut]).toEqual([MOST / 2, 1]);
    // One that is not short needs the place of another, however much it is.
    await ask("a10", "a", 65_537);
    await vi.waitFor(() => expect(cut).toEqual(["a1", "a2"]), { timeout: 30_000 });
  });

  test("of other credentials stay while there is room for all, and then go by who took nothing longest", async () => {
    await untilHeld(SIZE, () => ask("b1", "b"));
    for (let index = 1; index <= 12; index += 1) {
      await untilHeld(Math.min(index, 8) * SIZE + SIZE, () => ask(`a${index}`, "a"));
      const want = Math.max(0, index - 8);
      await vi.waitFor(() => expect(cut.length).toBe(want), { timeout: 30_000 });
    }
    expect(cut).toEqual(["a1", "a2", "a3", "a4"]);
    for (let index = 1; index <= 7; index += 1) {
      await untilHeld((9 + index) * SIZE, () => ask(`c${index}`, "c"));
    }
    expect([unread.bytes, unread.cut]).toEqual([MOST, 4]);
    await ask("d1", "d");
    await vi.waitFor(() => expect(cut.at(-1)).toBe("b1"), { timeout: 30_000 });
    expect([unread.bytes, unread.cut]).toEqual([MOST, 5]);
  });

  test("are not counted any more when their clients have gone, and one larger than all memory is sent", async () => {
    await untilHeld(SIZE, () => ask("a", "a"));
    for (const close of readers.splice(0)) close();
    await vi.waitFor(() => expect(unread.bytes).toBe(0), { timeout: 30_000 });
    await untilHeld(MOST + 1, () => ask("b", "b", MOST + 1));
    expect(unread.cut).toBe(0);
  });
});

test("who takes an answer slowly is not the slowest while others take nothing", async () => {
  const socket = net.connect(port, "127.0.0.1");
  let allowed = 1;
  socket.on("data", () => {
    if (socket.bytesRead >= allowed) socket.pause();
  });
  await untilHeld(MOST / 2, () => socket.write(head(`GET /reads/${MOST / 2}`)));
  const [ask] = Object.values(VERSIONS);
  for (let index = 1; index <= 8; index += 1) {
    await untilHeld(MOST / 2 + index * SIZE, () => ask?.(`a${index}`, "a"));
  }
  const later = { timeout: 30_000 };
  allowed = 8 * MIB;
  socket.resume();
  await vi.waitFor(() => expect(socket.isPaused()).toBe(true), later);
  await ask?.("b1", "b");
  await vi.waitFor(() => expect(cut.length).toBe(1), later);
  expect(cut).toEqual(["a1"]);
  socket.destroy();
});

test("answers that are read arrive whole, whatever their size, and are not counted after that", async () => {
  const session = http2.connect(`http://127.0.0.1:${port}`);
  for (const size of [0, 1, 65_535, 65_536, 65_537, 1_000_000, 3 * MIB]) {
    const plain = await fetch(`http://127.0.0.1:${port}/a/${size}`);
    expect([size, (await plain.text()).length]).toEqual([size, size]);
    const stream = session.request({ ":path": `/a/${size}` });
    let received = 0;
    for await (const chunk of stream) received += chunk.length;
    expect([size, received]).toEqual([size, size]);
  }
  session.close();
  await vi.waitFor(() => expect(unread.bytes).toBe(0), { timeout: 30_000 });
  expect([unread.cut, cut]).toEqual([0, []]);
});

test("requests in one packet on a connection are answered whole and in order", async () => {
  const sizes = [200_000, 3, 100_000, MIB, 65_536];
  const socket = net.connect(port, "127.0.0.1");
  const requests = sizes.map((size) => head(`GET /a/${size}`));
  socket.write(requests.join("") + head("GET /a/0", { connection: "close" }));
  let text = "";
  for await (const chunk of socket.setEncoding("latin1")) text += chunk;
  const bodies = text.split(/HTTP\/1\.1 200 OK\r\n/).slice(1);
  expect(bodies.map((it) => it.slice(it.indexOf("\r\n\r\n") + 4).length)).toEqual([...sizes, 0]);
});
