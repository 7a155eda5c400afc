import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Exchange } from "../../../src/http/listener/exchange.ts";
import { HTTP_LIMITS } from "../../../src/http/listener/limits.ts";
import { readRawBody } from "../../../src/http/listener/request-body.ts";

const { bodies, uncountedBody, studioBody } = HTTP_LIMITS;

/** The same bytes in all bodies, which take the memory of one. */
const BYTES = Buffer.alloc(studioBody);

/** A request whose body arrives as a test sends it. */
class Arriving {
  readonly request = Object.assign(new PassThrough(), { headers: {} });
  readonly response = new EventEmitter();
  readonly body: Promise<number>;

  constructor() {
    const { request, response } = this;
    const exchange = { request, response } as unknown as Exchange;
    this.body = readRawBody(exchange, studioBody).then((it) => it.length);
    this.body.catch(() => {});
  }

  /** Sends bytes, and waits until they are read. */
  async send(length: number): Promise<void> {
    this.request.write(BYTES.subarray(0, length));
    await setImmediate();
  }

  /** Ends the body. */
  end(): Promise<number> {
    this.request.end();
    return this.body;
  }

  /** Closes the response. */
  close(): void {
    this.response.emit("close");
  }
}

test("bodies take at most so much memory together, but short ones are always read", async () => {
  const long: Arriving[] = [];
  const fits = Math.floor(bodies / (studioBody - uncountedBody));
  for (let number = 0; number < fits; number += 1) {
    const body = new Arriving();
    await body.send(studioBody);
    long.push(body);
  }
  const last = new Arriving();
  await last.send(bodies - fits * (studioBody - uncountedBody) + uncountedBody);
  const beyond = new Arriving();
  await beyond.send(uncountedBody + 1);
  await expect(beyond.body).rejects.toMatchObject({ status: 503, reason: "OVERLOADED" });
  beyond.close();
  const short = new Arriving();
  await short.send(uncountedBody);
  expect(await short.end()).toBe(uncountedBody);

  // A body that is whole counts until its response is closed.
  const [first] = long;
  expect(await first?.end()).toBe(studioBody);
  const again = new Arriving();
  await again.send(uncountedBody + 1);
  await expect(again.body).rejects.toMatchObject({ reason: "OVERLOADED" });
  again.close();
  first?.close();
  const room = new Arriving();
  await room.send(studioBody);
  expect(await room.end()).toBe(studioBody);
  for (const it of [...long.slice(1), last, short, room]) it.close();
});
