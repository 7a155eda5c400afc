import tls, { type TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createSender } from "../../src/outbox/send.ts";
import { CERTIFICATE, type Receiver, startReceiver, startTcpReceiver } from "./receiver.ts";

const names: unknown[] = [];
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver(
    ({ socket }, response) => {
      names.push((socket as TLSSocket).servername);
      response.end();
    },
    { tls: true },
  );
});
afterAll(() => receiver.close());

const trusted = tls.getCACertificates("default");
afterEach(() => {
  tls.setDefaultCACertificates(trusted);
  names.splice(0);
});

async function send(host: string, port = receiver.port) {
  const resolve = async () => ["127.0.0.1"];
  const sender = createSender({ allowPrivateTargets: true, resolve, timeout: 2_000 });
  const outcome = await sender.send({ url: `https://${host}:${port}/`, headers: {}, body: "{}" });
  sender.close();
  return outcome;
}

describe("a certificate that is trusted", () => {
  test.each<[host: string, servername: string | false]>([
    ["hooks.example", "hooks.example"],
    ["hooks.example.", "hooks.example"],
    ["HOOKS.example", "hooks.example"],
    ["127.0.0.1", false],
  ])("holds for %s, which the receiver gets as %s", async (host, servername) => {
    tls.setDefaultCACertificates([CERTIFICATE]);
    expect(await send(host)).toEqual({ kind: "responded", status: 200 });
    expect(names).toEqual([servername]);
  });

  test.each(["other.example", "a.hooks.example"])("does not hold for %s", async (host) => {
    tls.setDefaultCACertificates([CERTIFICATE]);
    expect(await send(host)).toEqual(expectTlsFailure("ERR_TLS_CERT_ALTNAME_INVALID"));
    expect(names).toEqual([]);
  });
});

test("a certificate that nobody trusts is rejected, whatever the environment says", async () => {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  try {
    expect(await send("hooks.example")).toEqual(expectTlsFailure("DEPTH_ZERO_SELF_SIGNED_CERT"));
  } finally {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  }
  expect(names).toEqual([]);
});

describe("a receiver that", () => {
  test.each([
    ["speaks no TLS", "HTTP/1.1 200 OK\r\n\r\n", "TLS_FAILED"],
    ["closes the connection in the handshake", "", "CONNECTION_FAILED"],
  ] as const)("%s fails", async (_what, respond, reason) => {
    const plain = await startTcpReceiver((socket) =>
      socket.once("data", () => socket.end(respond)),
    );
    const outcome = await send("hooks.example", plain.port);
    expect(outcome).toMatchObject({ kind: "failed", reason });
    await plain.close();
  });

  test("closes the connection behind the handshake is no failure of TLS", async () => {
    tls.setDefaultCACertificates([CERTIFICATE]);
    const silent = await startReceiver(({ socket }) => void socket.destroy(), { tls: true });
    const outcome = await send("hooks.example", silent.port);
    expect(outcome).toMatchObject({ kind: "failed", reason: "CONNECTION_FAILED" });
    await silent.close();
  });

  test("hangs in the handshake takes the whole time", async () => {
    const plain = await startTcpReceiver((socket) => void socket.resume());
    const outcome = await send("hooks.example", plain.port);
    expect(outcome).toMatchObject({ kind: "failed", reason: "TIMEOUT" });
    await plain.close();
  });

  test("is away is no failure of TLS", async () => {
    const away = await startTcpReceiver(() => {});
    await away.close();
    expect(await send("hooks.example", away.port)).toEqual(expectNoConnection());
  });
});

function expectTlsFailure(detail: string) {
  return { kind: "failed", reason: "TLS_FAILED", detail };
}

function expectNoConnection() {
  return { kind: "failed", reason: "CONNECTION_FAILED", detail: "ECONNREFUSED" };
}
