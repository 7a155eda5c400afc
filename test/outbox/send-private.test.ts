import diagnostics from "node:diagnostics_channel";
import { lookup } from "node:dns/promises";
import { isIPv6, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createGuardedFetch, createSender, type SenderOptions } from "../../src/outbox/send.ts";
import { readLines } from "../harness/cases.ts";
import { type Receiver, startReceiver, startTcpReceiver } from "./receiver.ts";

/** Public in form, but given to nobody. */
const NOWHERE = "2d00::1";

const attempts: string[] = [];
const record = (message: unknown) => {
  const { socket } = message as { socket: Socket };
  socket.on("connectionAttempt", (address: string) => attempts.push(address));
};
beforeAll(() => diagnostics.subscribe("net.client.socket", record));
afterAll(() => void diagnostics.unsubscribe("net.client.socket", record));

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startTcpReceiver((socket) => socket.destroy());
});
afterAll(() => receiver.close());
beforeEach(() => void attempts.splice(0));

async function send(host: string, options: Partial<SenderOptions> = {}, scheme = "https") {
  const sender = createSender({ allowPrivateTargets: false, timeout: 500, ...options });
  const url = `${scheme}://${host}:${receiver.port}/`;
  const outcome = await sender.send({ url, headers: {}, body: "" });
  sender.close();
  return outcome.kind === "failed" ? outcome.reason : outcome.kind;
}

describe("nothing is sent to", () => {
  test.each(readLines<[string, string]>("outbox/private-addresses"))(
    "%s, %s, however it is named",
    async (address) => {
      const host = isIPv6(address) ? `[${address}]` : address;
      expect(await send(host)).toBe("TARGET_NOT_ALLOWED");
      expect(await send("hooks.example", { resolve: async () => [address] })).toBe(
        "TARGET_NOT_ALLOWED",
      );
      expect(attempts).toEqual([]);
    },
  );

  test.each(["localhost", "a.localhost", "2130706433", "user@hooks.example"])(
    "%s, and its name is not even asked for",
    async (host) => {
      let asked = 0;
      const resolve = async () => {
        asked += 1;
        return ["127.0.0.1"];
      };
      expect(await send(host, { resolve })).toBe("TARGET_NOT_ALLOWED");
      expect([asked, attempts]).toEqual([0, []]);
    },
  );

  test("a public name by http", async () => {
    expect(await send("hooks.example", { resolve: async () => [NOWHERE] }, "http")).toBe(
      "TARGET_NOT_ALLOWED",
    );
    expect(attempts).toEqual([]);
  });

  test("a name that the machine resolves to loopback", async () => {
    const resolve = async () =>
      (await lookup("localhost", { all: true })).map(({ address }) => address);
    expect(await send("hooks.example", { resolve })).toBe("TARGET_NOT_ALLOWED");
    expect(attempts).toEqual([]);
  });

  for (const addresses of [
    [NOWHERE, "127.0.0.1"],
    ["127.0.0.1", NOWHERE],
    [NOWHERE, "8.8.8.8", "::ffff:127.0.0.1"],
    [NOWHERE, "hooks.example"],
  ]) {
    test(`a name with the addresses ${addresses.join(", ")}`, async () => {
      const resolve = async () => addresses;
      expect(await send("hooks.example", { resolve })).toBe("TARGET_NOT_ALLOWED");
      expect(attempts).toEqual([]);
    });
  }
});

describe("a name that changes its address", () => {
  /** Replies to each question with the next of some addresses. */
  function changing(...addresses: readonly string[]) {
    let asked = 0;
    return {
      asked: () => asked,
      resolve: async () => [addresses[asked++] ?? "127.0.0.1"],
    };
  }

  test("from a public one to a private one is connected to only at the one that was checked", async () => {
    const before = receiver.connections();
    const { resolve, asked } = changing(NOWHERE, "127.0.0.1");
    expect(await send("hooks.example", { resolve })).toMatch(/^(CONNECTION_FAILED|TIMEOUT)$/);
    expect(attempts).toEqual([NOWHERE]);
    expect(asked()).toBe(1);
    expect(await send("hooks.example", { resolve })).toBe("TARGET_NOT_ALLOWED");
    expect(attempts).toEqual([NOWHERE]);
    expect(receiver.connections()).toBe(before);
  });

  test("is asked for once a request", async () => {
    const first = await startReceiver((_request, response) => void response.end());
    const second = await startReceiver((_request, response) => void response.writeHead(500).end(), {
      host: "127.0.0.2",
      port: first.port,
    });
    const { resolve, asked } = changing("127.0.0.1", "127.0.0.2");
    const sender = createSender({ allowPrivateTargets: true, resolve });
    const request = { url: `http://hooks.example:${first.port}/`, headers: {}, body: "" };
    const outcomes = [await sender.send(request), await sender.send(request)];
    expect(outcomes).toMatchObject([{ status: 200 }, { status: 500 }]);
    expect(asked()).toBe(2);
    expect(first.requests[0]?.headers.host).toBe(`hooks.example:${first.port}`);
    await Promise.all([first.close(), second.close()]);
  });
});

test.each(["127.0.0.1.", "127.0.0.1..", "127.0.0.1..."])(
  "%s, an address with dots behind it, is connected to",
  async (host) => {
    const { port, close } = await startReceiver((_request, response) => void response.end());
    const sender = createSender({ allowPrivateTargets: true });
    const outcome = await sender.send({ url: `http://${host}:${port}/`, headers: {}, body: "" });
    expect(outcome).toMatchObject({ status: 200 });
    const fetch = createGuardedFetch({ allowPrivate: true });
    const response = await fetch(`http://${host}:${port}/`, { method: "GET", headers: {} });
    expect(response.status).toBe(200);
    await close();
  },
);

test("an alias is connected to on this machine, where private targets are not allowed", async () => {
  const { port, close } = await startReceiver((_request, response) => void response.end());
  const alias = "http://receiver.demo.internal";
  const localTargets = new Map([[alias, `http://127.0.0.1:${port}`]]);
  const sender = createSender({ allowPrivateTargets: false, localTargets });
  const outcome = await sender.send({ url: `${alias}/hook`, headers: {}, body: "" });
  expect(outcome).toMatchObject({ status: 200 });
  await close();
});
