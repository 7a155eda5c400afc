import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createGuardedFetch } from "../../src/outbox/send.ts";
import { startTcpReceiver } from "../outbox/receiver.ts";

/** Responds with the status and the number of bytes that the path names. */
const server = createServer((request, response) => {
  const [, status, bytes] = (request.url ?? "").split("/").map(Number);
  response.writeHead(status ?? 0, { "content-type": "text/plain" }).end("x".repeat(bytes ?? 0));
});
beforeAll(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)));
afterAll(() => void server.close());

const urlOf = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

const guarded = createGuardedFetch({ allowPrivate: true });
const fetchGuarded = (path: string) => guarded(urlOf(path), { method: "GET", headers: {} });

test("a response of any status is fetched or rejected, and nothing is thrown elsewhere", async () => {
  for (let status = 200; status < 1_000; status += 1) {
    const got = await fetchGuarded(`/${status}/3`).catch((error: unknown) => error);
    if (status >= 600) expect(got).toBeInstanceOf(RangeError);
    else expect((got as Response).status).toBe(status);
  }
});

test("256 KiB are fetched, and one byte more is not", async () => {
  const most = 256 * 1_024;
  expect(await (await fetchGuarded(`/200/${most}`)).text()).toHaveLength(most);
  await expect(fetchGuarded(`/200/${most + 1}`)).rejects.toThrow("the response is too large");
});

const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

test.each([
  ["changes the protocol", "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: a\r\n\r\n"],
  ["is informational without end", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1_200)],
  ["begins with empty lines without end", "\r\n".repeat(20_000)],
  ["has very many pieces", `${CHUNKED}${"1\r\nx\r\n".repeat(4_097)}`],
])("a response that %s is rejected at once", async (_what, response) => {
  const receiver = await startTcpReceiver((socket) => {
    socket.once("data", () => socket.write(response));
  });
  onTestFinished(receiver.close);
  const fetching = guarded(receiver.url, { method: "GET", headers: {} });
  await expect(fetching).rejects.toThrow(
    /^(the connection was closed|too many|the response is too large)/,
  );
});
