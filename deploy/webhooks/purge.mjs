// Receives the webhooks of content changes and purges their surrogate keys from Varnish or Fastly. Node alone:
//
//   WEBHOOK_SECRET=whsec_… VARNISH_URLS="http://10.0.0.2:6083 http://10.0.0.3:6083" node purge.mjs
//   WEBHOOK_SECRET=whsec_… FASTLY_SERVICE_ID=… FASTLY_KEY=… node purge.mjs
//
// PORT, 3000 by default, is where it listens; put TLS in front of it. PURGE_AGAIN_MS, 1000 by default, is when the keys
// are purged again: in between, a response may have come from a process that did not know the change yet.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, request as sendRequest } from "node:http";

const {
  WEBHOOK_SECRET = "",
  VARNISH_URLS = "",
  PORT = "3000",
  PURGE_AGAIN_MS = "1000",
} = process.env;
const { FASTLY_SERVICE_ID, FASTLY_KEY = "", FASTLY_URL = "https://api.fastly.com" } = process.env;
const key = Buffer.from(WEBHOOK_SECRET.replace(/^whsec_/, ""), "base64");
if (key.length < 24) throw new Error("WEBHOOK_SECRET is not a signing secret");

/** More than a webhook has. */
const MAX_BODY_BYTES = 2 ** 20;

/** Reads the body of a request; undefined if it is too large. */
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Verifies a request by Standard Webhooks: signed with the secret, at most five minutes ago. */
function isGenuine(headers, body) {
  const {
    "webhook-id": id,
    "webhook-timestamp": time,
    "webhook-signature": signatures = "",
  } = headers;
  if (!(Math.abs(Date.now() / 1_000 - Number(time)) <= 300)) return false;
  const want = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest();
  return signatures.split(" ").some((it) => {
    const got = Buffer.from(it.replace(/^v1,/, ""), "base64");
    return it.startsWith("v1,") && got.length === want.length && timingSafeEqual(got, want);
  });
}

/** Sends a request without a body; throws unless the status is 200. */
async function purge(method, url, headers) {
  const status =
    method === "PURGE"
      ? await new Promise((resolve, reject) => {
          const sent = sendRequest(url, { method, headers, timeout: 5_000 });
          sent.on("response", (response) => resolve(response.resume().statusCode));
          sent.on("timeout", () => sent.destroy(new Error("timeout")));
          sent.on("error", reject).end();
        })
      : (await fetch(url, { method, headers, signal: AbortSignal.timeout(5_000) })).status;
  if (status !== 200) throw new Error(`${method} ${url}: ${status}`);
}

function purgeVarnish(keys) {
  const urls = VARNISH_URLS.split(" ").filter((url) => url !== "");
  return Promise.all(urls.map((url) => purge("PURGE", url, { "surrogate-key": keys })));
}

async function purgeFastly(keys) {
  if (FASTLY_SERVICE_ID === undefined) return;
  const url = `${FASTLY_URL}/service/${FASTLY_SERVICE_ID}/purge`;
  await purge("POST", url, { "fastly-key": FASTLY_KEY, "surrogate-key": keys });
}

/** Purges Varnish first, which may be behind Fastly. */
async function purgeAll(keys) {
  try {
    await purgeVarnish(keys);
  } finally {
    await purgeFastly(keys);
  }
}

const report = (fault) => process.stderr.write(`${fault.message}\n`);

createServer(async (request, response) => {
  try {
    const body = await readBody(request);
    if (body === undefined) return void response.writeHead(413, { connection: "close" }).end();
    if (!isGenuine(request.headers, body)) return void response.writeHead(401).end();
    const keys = JSON.parse(body).data.surrogate_keys.join(" ");
    await purgeAll(keys);
    setTimeout(() => purgeAll(keys).catch(report), Number(PURGE_AGAIN_MS));
    response.writeHead(204).end();
  } catch (fault) {
    report(fault);
    // Any status but 2xx is tried again.
    response.writeHead(502).end();
  }
}).listen(Number(PORT), function () {
  process.stdout.write(`listening on port ${this.address().port}\n`);
});
