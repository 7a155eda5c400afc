import { existsSync, readFileSync } from "node:fs";
import { decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createViewerTokenKey, rotateViewerTokenKeys } from "../../../src/auth/viewer-token-key.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { connectHeaders, getUrl, PROCEDURES } from "../../harness/calls.ts";
import { runCommand } from "../../harness/command.ts";
import { inFile } from "../../harness/database-file.ts";
import { send } from "../../harness/http.ts";
import {
  type ServiceProcess,
  type ServiceUrls,
  serveHere,
  serveProcess,
} from "../../harness/service-process.ts";
import { createServiceFolder, useServiceFolder } from "../../harness/test-folder.ts";

const folder = useServiceFolder();
let one: ServiceProcess;
let two: Awaited<ReturnType<typeof serveHere>>;
let demo: { projects: { public_key: string }[]; vendor_id_token: string };
beforeAll(async () => {
  one = await serveProcess(folder);
  demo = JSON.parse(readFileSync(folder.demoFile, "utf8"));
  two = await serveHere(folder);
});
afterAll(async () => {
  await one.stop();
  await two.stop();
});

const keys = (...args: string[]) =>
  runCommand("keys", ...args, "--database", `sqlite:${folder.database}`);

async function exchange(): Promise<string> {
  const got = await send("POST", one.deliveryUrl + PROCEDURES.exchangeToken, {
    headers: connectHeaders(demo.projects[0]?.public_key ?? ""),
    body: { vendorIdToken: demo.vendor_id_token },
  });
  expect(got.status, got.text).toBe(200);
  return got.json.token;
}

async function listIds(service: ServiceUrls): Promise<string[]> {
  const { json } = await send("GET", `${service.deliveryUrl}/.well-known/jwks.json`);
  return json.keys.map(({ kid }: { kid: string }) => kid);
}

const statusOf = async (service: ServiceUrls, token: string) =>
  (await send("GET", service.deliveryUrl + getUrl(PROCEDURES.listEvents, {}), { token })).status;

describe("marquee keys, beside two running services", () => {
  test("rotates: both sign and check with the new key within a second, old tokens hold", async () => {
    const old = await exchange();
    const before = await listIds(one);
    expect(before).toEqual([decodeProtectedHeader(old).kid]);
    expect(await listIds(two)).toEqual(before);

    const { code, stdout, stderr } = await keys("rotate");
    expect([code, stderr]).toEqual([0, ""]);
    const [id = ""] = stdout.split(" ");
    // A busy machine takes longer.
    for (const service of [one, two]) {
      await expect
        .poll(() => listIds(service), { timeout: 10_000, interval: 20 })
        .toEqual([id, ...before]);
    }

    const token = await exchange();
    expect(decodeProtectedHeader(token).kid).toBe(id);
    for (const service of [one, two]) {
      expect([await statusOf(service, old), await statusOf(service, token)]).toEqual([200, 200]);
    }

    const list = (await keys("list")).stdout.trimEnd().split("\n");
    expect(list).toHaveLength(2);
    expect(list[0]).toMatch(new RegExp(`^${id}  signing since 2\\d{3}-\\S+Z$`));
    expect(list[1]).toMatch(
      new RegExp(`^${before[0]}  retired, verifies tokens until 2\\d{3}-\\S+Z$`),
    );
    expect(stdout + list.join()).not.toContain("PRIVATE");
  });

  test("rotates after a leak: no old token holds, and the secrets are made again at the next start", async () => {
    const old = await exchange();
    const readSecrets = () =>
      inFile(folder.database, (it) =>
        it.prepare("select name, value from secret order by name").all(),
      );
    const before = await readSecrets();
    const { code, stdout, stderr } = await keys("rotate", "--leaked");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^\S+ signs from now on; no token .*; restart every process of Marquee/);
    for (const service of [one, two])
      await expect.poll(() => statusOf(service, old), { interval: 20 }).toBe(401);
    expect(await statusOf(one, await exchange())).toBe(200);
    expect((await keys("list")).stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(await readSecrets()).toEqual([]);
    const next = await serveHere(folder);
    await next.stop();
    const after = (await readSecrets()) as { name: string; value: Buffer }[];
    expect(after.map(({ name }) => name)).toEqual(
      before.map((it) => (it as { name: string }).name),
    );
    for (const secret of before) expect(after).not.toContainEqual(secret);
  });
});

test("keys list leaves out a retired key whose tokens have all expired", async () => {
  const aside = createServiceFolder();
  const store = openSqliteStore(aside.database);
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await store.viewerTokenKeys.begin(() => createViewerTokenKey(hoursAgo(30)));
  const expired = (await store.viewerTokenKeys.get()).signing?.id ?? "";
  const verifying = await rotateViewerTokenKeys(store.viewerTokenKeys, hoursAgo(12.5));
  const signing = await rotateViewerTokenKeys(store.viewerTokenKeys, hoursAgo(11.5));
  const { retired } = await store.viewerTokenKeys.get();
  await store.close();
  expect(retired.map(({ id }) => id).sort()).toEqual([expired, verifying].sort());
  const list = async (...args: string[]) =>
    (await runCommand("keys", "list", ...args, "--database", `sqlite:${aside.database}`)).stdout;
  expect((await list()).split("\n").map((line) => line.split(" ")[0])).toEqual([
    signing,
    verifying,
    "",
  ]);
  const json = JSON.parse(await list("--json"));
  expect([json.signing.id, json.retired.map(({ id }: { id: string }) => id)]).toEqual([
    signing,
    [verifying],
  ]);
});

test("before the first start there is no database, and none is created", async () => {
  const empty = createServiceFolder({ empty: true });
  const got = await runCommand("keys", "list", "--database", `sqlite:${empty.database}`);
  expect(got).toMatchObject({ code: 1, stderr: expect.stringMatching(/does not exist/) });
  expect(existsSync(empty.database)).toBe(false);
});
