import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDemo } from "../../demo/start.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import { getUrl, PROCEDURES } from "../harness/calls.ts";
import { runCommand } from "../harness/command.ts";
import { send } from "../harness/http.ts";
import { BUF, run } from "../harness/process.ts";
import {
  type ServiceFolder,
  type ServiceProcess,
  serveDatabase,
  serveProcess,
} from "../harness/service-process.ts";
import { createServiceFolder, useServiceFolder } from "../harness/test-folder.ts";

const readDemo = (folder: ServiceFolder) => JSON.parse(readFileSync(folder.demoFile, "utf8"));

describe("serve --demo on an empty database", () => {
  const folder = useServiceFolder({ empty: true });
  let service: ServiceProcess;
  beforeAll(async () => {
    service = await serveProcess(folder);
  });
  afterAll(() => service.stop());

  test("prints addresses and credentials that are real", async () => {
    expect(service.studioUrl).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    expect(service.deliveryUrl).toBe(service.studioUrl);
    expect((await send("GET", `${service.studioUrl}/readyz`)).status).toBe(200);
    const demo = readDemo(folder);
    expect(service.stdout()).toContain(demo.projects[0].public_key);
    expect(service.stdout()).toContain(demo.accounts.owner);
    expect(service.stdout()).toContain(folder.demoFile);
  });

  test("prints three commands, each of which succeeds", async () => {
    const commands = service
      .stdout()
      .replaceAll("\\\n", "")
      .split("\n")
      .filter((line) => /^ {2}(curl|npx -y @bufbuild\/buf curl) /.test(line));
    expect(commands).toHaveLength(3);
    const results = await Promise.all(
      commands.map((line) => run("sh", ["-c", line.replace("npx -y @bufbuild/buf", BUF)])),
    );
    const [read, change, explore] = results.map(({ code, stdout, stderr }) => {
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout);
    });
    expect(read.events).toHaveLength(2);
    expect(change.page_component.name).toBe("Welcome");
    expect(explore.events).toHaveLength(2);
  });

  test("shows a home page without an empty rail, whose pictures it draws", async () => {
    const demo = readDemo(folder);
    const token = demo.projects[0].public_key;
    const message = { slug: "home", includeItems: true };
    const page = "/svc.cda.ott.page.v1.PageService/GetPage";
    const home = await send("GET", service.deliveryUrl + getUrl(page, message), { token });
    const shown = home.json.components as { component: { id: string }; items?: object[] }[];
    const rails = shown.filter(({ component: { id } }) => /^(rail|calendar)-/.test(id));
    expect(rails.length).toBeGreaterThan(7);
    expect(rails.filter(({ items = [] }) => items.length === 0)).toEqual([]);
    const found = home.text.matchAll(/"[a-zA-Z_]*(?:[iI]mage_?Url|url)":"([^"]*)"/g);
    const pictures = new Set(Array.from(found, ([, url = ""]) => url));
    expect(pictures.size).toBeGreaterThan(50);
    for (const url of pictures) {
      expect(url).toContain(`${service.deliveryUrl}/demo/picture.svg?`);
      const got = await send("GET", url);
      expect([url, got.status, got.headers.get("content-type")]).toEqual([
        ...[url, 200, "image/svg+xml"],
      ]);
    }
  });

  test("writes a demo file of the promised content, for its owner's eyes only", () => {
    const demo = readDemo(folder);
    expect(statSync(folder.demoFile).mode & 0o777).toBe(0o600);
    expect(Object.keys(demo).sort()).toEqual(
      [
        "base_url",
        "cda_url",
        "organization_id",
        "projects",
        "accounts",
        "vendor_id_token",
        "samples",
      ].sort(),
    );
    expect(demo.base_url).toBe(service.studioUrl);
    expect(demo.cda_url).toBe(service.deliveryUrl);
    expect(demo.projects.map(({ id }: { id: string }) => id)).toEqual(["worldcup", "sandbox"]);
    for (const project of demo.projects) {
      expect(Object.keys(project)).toEqual(["id", "public_key", "preview_key"]);
    }
    expect(Object.keys(demo.accounts)).toEqual(["owner", "editor", "viewer", "outsider"]);
    expect(Object.keys(demo.samples)).toEqual([
      "page_id",
      "page_slug",
      "page_component_id",
      "rail_id",
      "annotation_id",
      "annotation_type_id",
      "event_id",
      "entity_id",
      "creative_work_id",
      "video_id",
      "ruleset_id",
      "transaction_billing_id",
    ]);
  });

  test("gives the accounts their roles", async () => {
    const { accounts, samples } = readDemo(folder);
    const component = `${service.studioUrl}/ott/page_components/v2/${samples.page_component_id}`;
    const change = { page_component_update: { name: "x" }, update_mask: "name" };
    const batch = `${service.studioUrl}/ott/page_components/v1/batch?page_component_ids=${samples.rail_id}`;
    for (const [role, read, write] of [
      ["owner", 200, 200],
      ["editor", 200, 200],
      ["viewer", 200, 403],
      ["outsider", 404, 404],
    ] as const) {
      const token: string = accounts[role];
      expect((await send("GET", batch, { token })).status, role).toBe(read);
      expect((await send("PATCH", component, { token, body: change })).status, role).toBe(write);
    }
  });

  test("gives an identity token that can be exchanged", async () => {
    const { projects, vendor_id_token: vendorIdToken } = readDemo(folder);
    const got = await send("POST", service.deliveryUrl + PROCEDURES.exchangeToken, {
      token: projects[0].public_key,
      headers: { "connect-protocol-version": "1" },
      body: { vendorIdToken },
    });
    expect(got.status).toBe(200);
  });

  test("keeps the secrets out of the log", () => {
    const demo = readDemo(folder);
    expect(service.stderr()).toContain('"msg":"request"');
    for (const secret of [
      ...Object.values<string>(demo.accounts),
      ...demo.projects.flatMap((it: Record<string, string>) => [it.public_key, it.preview_key]),
      demo.vendor_id_token,
    ]) {
      expect(service.stderr()).not.toContain(secret);
    }
  });

  const works = async (url: string, demo: ReturnType<typeof readDemo>) => {
    const events = await send("GET", url + getUrl(PROCEDURES.listEvents, { pageSize: 1 }), {
      token: demo.projects[0].public_key,
    });
    const list = await send("GET", `${url}/monetization/transactions/v1?include_summary=true`, {
      token: demo.accounts.owner,
    });
    expect(events.status).toBe(200);
    expect(list.status).toBe(200);
    return list.json.summary.total_count;
  };

  test("another start keeps the tokens, loads nothing twice; lost or broken files get working tokens", async () => {
    const before = readDemo(folder);
    const count = await works(service.studioUrl, before);
    expect(await service.stop()).toBe(0);

    service = await serveProcess(folder);
    const after = readDemo(folder);
    expect(after.projects).toEqual(before.projects);
    expect(after.accounts).toEqual(before.accounts);
    expect(after.base_url).toBe(service.studioUrl);
    expect(await works(service.studioUrl, before)).toBe(count);

    rmSync(folder.demoFile);
    const anew = await announceHere();
    expect(anew.accounts.owner).not.toBe(before.accounts.owner);
    expect(await works(service.studioUrl, anew)).toBe(count);
    expect(await works(service.studioUrl, before)).toBe(count);

    writeFileSync(folder.demoFile, '{"accounts": {"owner": 7}, "projects": "none"');
    expect(await works(service.studioUrl, await announceHere())).toBe(count);
    expect(statSync(folder.demoFile).mode & 0o777).toBe(0o600);
  });

  /** Prepares the demo as one more start on the database of a service does, and returns what its file then holds. */
  async function announceHere(): Promise<ReturnType<typeof readDemo>> {
    const store = openSqliteStore(folder.database);
    const delivery = { host: "127.0.0.1", port: 1 };
    // Loading would fail: there is no such folder.
    const database = { engine: "sqlite", path: "/nowhere/x.db" } as const;
    const { demoFile } = folder;
    const demo = await startDemo(store, { database, delivery, demoFile, demoGoals: 0, env: {} });
    await demo?.announce(service, new Date());
    await demo?.close();
    await store.close();
    return readDemo(folder);
  }
});

test("serve --demo-goals lets the score of a match change", async () => {
  const folder = createServiceFolder();
  const service = await serveProcess(folder, ["--demo", "--demo-goals", "1"]);
  const { public_key: key } = readDemo(folder).projects[0];
  const url = getUrl("/svc.cda.cms.event.v1.EventService/GetEvent", { id: "match-2022-64" });
  const read = (wait = "") => send("GET", `${service.deliveryUrl}${url}&key=${key}${wait}`);
  const first = await read();
  const second = await read(`&after=${first.headers.get("marquee-state")}&wait=10`);
  const [one, other] = [first, second].map(({ json }) => json.event.fields.score);
  expect(other.home + other.away).not.toBe(one.home + one.away);
  expect(await service.stop()).toBe(0);
});

test("serve --demo on a database with other data says that it loads nothing", async () => {
  const folder = createServiceFolder({ empty: true });
  const database = `sqlite:${folder.database}`;
  await runCommand("init", "--organization", "Acme", "--database", database);
  const flags = ["--demo", "--demo-file", folder.demoFile];
  const service = await serveDatabase({ engine: "sqlite", path: folder.database }, flags);
  expect(service.stdout()).toContain("The demo is not loaded: the database contains other data.");
  expect(() => statSync(folder.demoFile)).toThrow("ENOENT");
  expect(await service.stop()).toBe(0);
});

test("serve without --demo makes no credentials and no data", async () => {
  const folder = createServiceFolder({ empty: true });
  const service = await serveProcess(folder, []);
  expect(service.stdout()).not.toMatch(/mq[apv]_|credential/i);
  expect(() => statSync(folder.demoFile)).toThrow("ENOENT");
  const listed = await runCommand("token", "list", "--database", `sqlite:${folder.database}`);
  expect(listed.stdout).toBe("no tokens\n");
  expect(await service.stop()).toBe(0);
});
