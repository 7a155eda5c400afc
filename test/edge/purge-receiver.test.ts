import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findFreePort } from "../harness/free-port.ts";
import { send } from "../harness/http.ts";
import { ROOT, type Running, start } from "../harness/process.ts";
import { type Receiver, startReceiver } from "../outbox/receiver.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

let fastly: Receiver;
let receiver: Running;
let url: string;
beforeAll(async () => {
  fastly = await startReceiver((_, response) => response.end());
  const port = await findFreePort();
  url = `http://127.0.0.1:${port}/`;
  receiver = start(process.execPath, [join(ROOT, "deploy/webhooks/purge.mjs")], {
    env: {
      ...{ WEBHOOK_SECRET: SECRET, PORT: String(port) },
      // Nothing listens there.
      VARNISH_URLS: `http://127.0.0.1:${await findFreePort()}`,
      ...{ FASTLY_URL: fastly.url, FASTLY_SERVICE_ID: "site", FASTLY_KEY: "secret" },
    },
  });
  await receiver.printed(/listening/);
});
afterAll(async () => {
  receiver.child.kill("SIGTERM");
  await Promise.all([receiver.finished, fastly.close()]);
});

test("a request that is not signed purges nothing, and one that is too large is not read to its end", async () => {
  expect((await send("POST", url, { body: {} })).status).toBe(401);
  expect((await send("POST", url, { body: Buffer.alloc(2 ** 20 + 1) })).status).toBe(413);
  expect(fastly.requests).toEqual([]);
});

test("Fastly is purged although Varnish does not respond, and the run is sent again", async () => {
  const body = JSON.stringify({
    data: { surrogate_keys: ["worldcup/events", "worldcup/pages/a"] },
  });
  const time = new Date();
  const headers = {
    "webhook-id": "run",
    "webhook-timestamp": String(Math.floor(time.getTime() / 1_000)),
    "webhook-signature": new Webhook(SECRET).sign("run", time, body),
  };
  expect((await send("POST", url, { headers, body })).status).toBe(502);
  const keys = fastly.requests.map(({ headers: sent }) => sent["surrogate-key"]);
  expect(keys).toEqual(["worldcup/events worldcup/pages/a"]);
});
