import { afterAll, beforeAll, expect, test } from "vitest";
import { type IdentityProvider, startIdentityProvider } from "../../demo/identity-provider.ts";
import { createToken, hashToken } from "../../src/auth/token.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import { connectHeaders, PROCEDURES } from "../harness/calls.ts";
import { metadataOf, reasonOf, send } from "../harness/http.ts";
import { loadDataset } from "../harness/load-dataset.ts";
import { type ServiceProcess, serveProcess } from "../harness/service-process.ts";
import { useServiceFolder } from "../harness/test-folder.ts";
import { keepProjectKey } from "../storage/project-key.ts";
import { ALPHA } from "../storage/small-dataset.ts";
import { createPlaybackDataset } from "./playback-dataset.ts";
import { type PlaybackMethod, pathOf } from "./playback-service.ts";

const publicKey = createToken("public");

const folder = useServiceFolder({ empty: true });
let identityProvider: IdentityProvider;
let services: readonly ServiceProcess[];
beforeAll(async () => {
  identityProvider = await startIdentityProvider();
  const store = openSqliteStore(folder.database);
  await loadDataset(store, createPlaybackDataset({ now: new Date() }));
  await keepProjectKey(store, ALPHA, "public", hashToken(publicKey));
  await store.close();
  const { issuer, jwksUrl } = identityProvider;
  const settings = ["--identity-issuers", `${issuer}=${jwksUrl}`, "--trusted-proxies", "127.0.0.1"];
  const first = await serveProcess(folder, settings);
  services = [first, await serveProcess(folder, settings)];
});
afterAll(async () => {
  for (const service of services ?? []) await service.stop();
  await identityProvider.close();
});

const urlOf = (process: 0 | 1) => services[process]?.deliveryUrl ?? "";

async function signIn(process: 0 | 1, subject: string): Promise<string> {
  const vendorIdToken = await identityProvider.sign({
    ...{ subject, audience: "web", issueTime: new Date() },
    expireTime: new Date(Date.now() + 3_600_000),
  });
  const { json } = await send("POST", urlOf(process) + PROCEDURES.exchangeToken, {
    headers: connectHeaders(publicKey),
    body: { vendorIdToken },
  });
  return json.token;
}

const call = (process: 0 | 1, method: PlaybackMethod, sessionKey: string, token: string) =>
  send("POST", urlOf(process) + pathOf(method), {
    headers: { ...connectHeaders(token), "x-forwarded-for": "192.0.2.1" },
    body: { videoId: "video-counted", sessionKey },
  });

test("two processes over one database count a viewer's streams together", async () => {
  const token = await signIn(0, "viewer-1");
  expect((await call(0, "AuthorizePlayback", "a", token)).status).toBe(200);
  expect((await call(1, "AuthorizePlayback", "b", token)).status).toBe(200);
  for (const process of [0, 1] as const) {
    const got = await call(process, "AuthorizePlayback", "c", token);
    expect([got.status, reasonOf(got)]).toEqual([429, "CONCURRENCY_LIMIT_REACHED"]);
    expect(metadataOf(got)?.session_keys).toBe("a,b");
  }
  expect((await call(1, "KeepPlayback", "a", token)).status).toBe(200);
  expect((await call(1, "StopPlayback", "a", token)).status).toBe(200);
  expect((await call(0, "AuthorizePlayback", "c", token)).status).toBe(200);
});

test("two processes never give more streams than there are, whoever is asked first", async () => {
  const token = await signIn(1, "viewer-2");
  const got = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      call(index % 2 === 0 ? 0 : 1, "AuthorizePlayback", `race-${index}`, token),
    ),
  );
  const statuses = got.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(3).fill(200), ...Array(21).fill(429)]);
});

test("what one process signs, the other one verifies", async () => {
  const token = await signIn(0, "viewer-1");
  const granted = await call(0, "KeepPlayback", "b", token);
  const verify = (address: string) =>
    send("GET", `${urlOf(1)}/playback/v1/verify?project_id=alpha`, {
      headers: { "x-original-uri": granted.json.playlistUrl, "x-forwarded-for": address },
    });
  expect((await verify("192.0.2.1")).status).toBe(204);
  const elsewhere = await verify("192.0.2.2");
  expect([elsewhere.status, elsewhere.headers.get("marquee-reason")]).toEqual([
    ...[403, "ADDRESS_NOT_BOUND"],
  ]);
});
