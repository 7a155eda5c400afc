import http2 from "node:http2";
import net from "node:net";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { UnreadResponses } from "../../../src/http/listener/unread-responses.ts";
import { sendBody, startBareListener } from "../../harness/bare-listener.ts";
import { head } from "../../harness/raw-socket.ts";

const MIB = 1024 * 1024;

/** The memory of all responses; those to one credential may take half of it. */
const MOST = 128 * MIB;

/** As large as eight of them are as much as one credential may have: more than a connection holds by itself. */
const SIZE = 8 * MIB;

/** The bytes of every response. */
const BODY = Buffer.alloc(MOST + 1, "x");

const later = { timeout: 30_000, interval: 5 };

let unread: UnreadResponses;
let listener: Awaited<ReturnType<typeof startBareListener>>;
/** The names of the responses that were not taken, in the order in which they were given up. */
let cut: string[];
const readers: (() => void)[] = [];

beforeEach(async () => {
  unread = new UnreadResponses(MOST);
  const given: string[] = [];
  cut = given;
  const split = (url: string) => url.split(/[/?]/);
  listener = await startBareListener({
    unread,
    respond(exchange) {
      const { url = "" } = exchange.request;
      sendBody(exchange, BODY.subarray(0, Number(split(url)[2])));
    },
    onClose(url, isSent) {
      if (!isSent) given.push(split(url)[1] ?? "");
    },
  });
});
afterEach(async () => {
  for (const close of readers.splice(0)) close();
  await listener.close();
});

/** Asks for a response of a size by a credential, and takes nothing of it. */
type Ask = (name: string, token: string, size?: number) => Promise<void>;

async function untilHeld(bytes: number, ask: () => void): Promise<void> {
  ask();
  await vi.waitFor(() => expect(unread.bytes).toBe(bytes), later);
}

/** Sends a request on a connection that is not read. */
function sendUnread(lines: string): void {
  const socket = net.connect(listener.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  socket.write(lines);
  readers.push(() => socket.destroy());
}

const VERSIONS: Readonly<Record<string, Ask>> = {
  "HTTP/1.1, on a connection that is not read": async (name, token, size = SIZE) =>
    sendUnread(head(`GET /${name}/${size}`, { authorization: `Bearer ${token}` })),
  "HTTP/1.1, with the key in the URL": async (name, token, size = SIZE) =>
    sendUnread(head(`GET /${name}/${size}?key=${token}`)),
  "HTTP/2, with a window of 0": async (name, token, size = SIZE) => {
    const settings = { initialWindowSize: 0 };
    const session = http2.connect(`http://127.0.0.1:${listener.port}`, { settings });
    session.on("error", () => {});
    const authorization = `Bearer ${token}`;
    const stream = session.request({ ":path": `/${name}/${size}`, authorization });
    stream.on("error", () => {});
    stream.pause();
    readers.push(() => session.destroy());
  },
};

describe.each(Object.entries(VERSIONS))("responses over %s", (_, ask) => {
  test("of one credential wait up to half of the memory, and one more takes the place of the slowest", async () => {
    for (let index = 1; index <= 8; index += 1) {
      await untilHeld(index * SIZE, () => ask(`a${index}`, "a"));
    }
    expect([unread.bytes, unread.cut, cut]).toEqual([MOST / 2, 0, []]);
    await ask("a9", "a");
    await vi.waitFor(() => expect(cut).toEqual(["a1"]), later);
    expect([unread.bytes, unread.cut]).toEqual([MOST / 2, 1]);
    // One that is not short needs the place of another, however much it is.
    await ask("a10", "a", 65_537);
    await vi.waitFor(() => expect(cut).toEqual(["a1", "a2"]), later);
  });

  test("of other credentials stay while there is room for all, and then go by who took nothing longest", async () => {
    await untilHeld(SIZE, () => ask("b1", "b"));
    for (let index = 1; index <= 12; index += 1) {
      await untilHeld(Math.min(index, 8) * SIZE + SIZE, () => ask(`a${index}`, "a"));
      const want = Math.max(0, index - 8);
      await vi.waitFor(() => expect(cut.length).toBe(want), later);
    }
    expect(cut).toEqual(["a1", "a2", "a3", "a4"]);
    for (let index = 1; index <= 7; index += 1) {
      await untilHeld((9 + index) * SIZE, () => ask(`c${index}`, "c"));
    }
    expect([unread.bytes, unread.cut]).toEqual([MOST, 4]);
    await ask("d1", "d");
    await vi.waitFor(() => expect(cut.at(-1)).toBe("b1"), later);
    expect([unread.bytes, unread.cut]).toEqual([MOST, 5]);
  });

  test("are not counted any more when their clients have gone, and one larger than all memory is sent", async () => {
    await untilHeld(SIZE, () => ask("a", "a"));
    for (const close of readers.splice(0)) close();
    await vi.waitFor(() => expect(unread.bytes).toBe(0), later);
    await untilHeld(MOST + 1, () => ask("b", "b", MOST + 1));
    expect(unread.cut).toBe(0);
  });
});

test("who takes a response slowly is not the slowest while others take nothing", async () => {
  const socket = net.connect(listener.port, "127.0.0.1");
  let allowed = 1;
  socket.on("data", () => {
    if (socket.bytesRead >= allowed) socket.pause();
  });
  await untilHeld(MOST / 2, () => socket.write(head(`GET /reads/${MOST / 2}`)));
  const [ask] = Object.values(VERSIONS);
  for (let index = 1; index <= 8; index += 1) {
    await untilHeld(MOST / 2 + index * SIZE, () => ask?.(`a${index}`, "a"));
  }
  allowed = 8 * MIB;
  socket.resume();
  await vi.waitFor(() => expect(socket.isPaused()).toBe(true), later);
  await ask?.("b1", "b");
  await vi.waitFor(() => expect(cut.length).toBe(1), later);
  expect(cut).toEqual(["a1"]);
  socket.destroy();
});

test("responses that are read arrive whole, whatever their size, and are not counted after that", async () => {
  const session = http2.connect(`http://127.0.0.1:${listener.port}`);
  for (const size of [0, 1, 65_535, 65_536, 65_537, 1_000_000, 3 * MIB]) {
    const plain = await fetch(`http://127.0.0.1:${listener.port}/a/${size}`);
    expect([size, (await plain.text()).length]).toEqual([size, size]);
    const stream = session.request({ ":path": `/a/${size}` });
    let received = 0;
    for await (const chunk of stream) received += chunk.length;
    expect([size, received]).toEqual([size, size]);
  }
  session.close();
  await vi.waitFor(() => expect(unread.bytes).toBe(0), later);
  expect([unread.cut, cut]).toEqual([0, []]);
});

test("requests in one packet on a connection are served whole and in order", async () => {
  const sizes = [200_000, 3, 100_000, MIB, 65_536];
  const socket = net.connect(listener.port, "127.0.0.1");
  const requests = sizes.map((size) => head(`GET /a/${size}`));
  socket.write(requests.join("") + head("GET /a/0", { connection: "close" }));
  let text = "";
  for await (const chunk of socket.setEncoding("latin1")) text += chunk;
  const bodies = text.split(/HTTP\/1\.1 200 OK\r\n/).slice(1);
  expect(bodies.map((it) => it.slice(it.indexOf("\r\n\r\n") + 4).length)).toEqual([...sizes, 0]);
});
