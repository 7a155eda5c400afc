import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Exchange } from "../../../src/http/listener/exchange.ts";
import { HTTP_LIMITS } from "../../../src/http/listener/limits.ts";
import { readRawBody } from "../../../src/http/listener/request-body.ts";
import { RequestLoad } from "../../../src/http/listener/request-load.ts";

const { arrivingBodies, bodies, uncountedBody, studioBody } = HTTP_LIMITS;
const load = new RequestLoad(4_000);

/** The same bytes in all bodies, which take the memory of one. */
const BYTES = Buffer.alloc(studioBody);

/** A request whose body arrives as a test sends it. */
class Arriving {
  readonly request = Object.assign(new PassThrough(), { headers: {} });
  readonly response = new EventEmitter();
  readonly path = "/x";
  readonly load = load;
  readonly body: Promise<number>;

  constructor() {
    load.enter(this);
    this.body = readRawBody(this as unknown as Exchange, studioBody).then((it) => it.length);
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
    load.leave(this);
    this.response.emit("close");
  }
}

test("bodies take at most so much memory together: those that began first are rejected", async () => {
  const long: Arriving[] = [];
  const fits = Math.floor(bodies / (studioBody - uncountedBody));
  const short = new Arriving();
  await short.send(uncountedBody);
  for (let number = 0; number < fits; number += 1) {
    const body = new Arriving();
    await body.send(studioBody);
    long.push(body);
  }
  const last = new Arriving();
  await last.send(bodies - fits * (studioBody - uncountedBody) + uncountedBody);
  const beyond = new Arriving();
  await beyond.send(uncountedBody + 1);
  const [first, second] = long;
  await expect(first?.body).rejects.toMatchObject({ status: 503, reason: "OVERLOADED" });
  expect(await beyond.end()).toBe(uncountedBody + 1);
  expect(await short.end()).toBe(uncountedBody);

  // A body that is whole counts until its response is closed.
  for (const it of [...long.slice(1), last]) await it.end();
  const again = new Arriving();
  await again.send(studioBody);
  await expect(again.body).rejects.toMatchObject({ reason: "OVERLOADED" });
  second?.close();
  const room = new Arriving();
  await room.send(studioBody);
  expect(await room.end()).toBe(studioBody);
  for (const it of [...long, last, beyond, short, again, room]) it.close();
});

test("so many bodies arrive at a time, and with one more the one that began first is rejected", async () => {
  const all = Array.from({ length: arrivingBodies }, () => new Arriving());
  expect(await all[0]?.end()).toBe(0);
  all.push(new Arriving(), new Arriving());
  await expect(all[1]?.body).rejects.toMatchObject({ status: 408, reason: "REQUEST_TIMEOUT" });
  const ended = await Promise.all(all.slice(2).map((it) => it.end()));
  expect(ended).toHaveLength(arrivingBodies);
  for (const it of all) it.close();
});

test("a request is in progress before its body arrives and after that, but not meanwhile", async () => {
  const body = new Arriving();
  expect(load.inProgress).toBe(0);
  await body.send(1);
  await body.end();
  expect(load.inProgress).toBe(1);
  body.close();
});
