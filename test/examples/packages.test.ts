import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium, isChromiumRequired, launchChromium } from "../browser/chromium.ts";
import { createFolder } from "../harness/folder.ts";
import { findFreePort } from "../harness/free-port.ts";
import { MARQUEE, ROOT, type Running, run, start } from "../harness/process.ts";
import { install, npm, readPacked, succeed } from "./packed.ts";

const packed = readPacked();
const folder = createFolder({ isOnDisk: true });
const at = (...names: readonly string[]) => join(folder.path, ...names);
const NODE = MARQUEE.program;

let service: Running;
/** How an example finds the service. */
let env: Readonly<Record<"MARQUEE_URL" | "PUBLIC_KEY" | "ACCESS_TOKEN", string>>;

/** Runs the command of the installed package. */
const marquee = (...args: readonly string[]) =>
  start(join(packed.serverInstall, "node_modules/.bin/marquee"), args, {
    cwd: packed.serverInstall,
  });

beforeAll(async () => {
  const goals = ["--demo-goals", "5"];
  service = marquee("serve", "--demo", ...goals, "--listen", "127.0.0.1:0", "--log-level", "warn");
  await service.printed(/Demo credentials/);
  const demo = JSON.parse(readFileSync(join(packed.serverInstall, "data/demo.json"), "utf8"));
  env = {
    MARQUEE_URL: demo.base_url,
    PUBLIC_KEY: demo.projects[0].public_key,
    ACCESS_TOKEN: demo.accounts.owner,
  };
});
afterAll(() => folder.remove());

/** Writes a program into a folder and runs it there. */
async function runProgram(path: string, text: string): Promise<string> {
  writeFileSync(join(path, "program.mjs"), text);
  return (await succeed(run(NODE, ["program.mjs"], { cwd: path }))).stdout;
}

/** The settings of TypeScript for a project that is as strict as can be. */
const STRICT = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];

/** Checks a program's types against the declarations of what is installed, as strictly as can be. */
async function checkTypes(path: string, text: string, ...options: readonly string[]) {
  writeFileSync(join(path, "types.mts"), text);
  const given = ["--noEmit", "--target", "es2022", "--lib", "es2024,dom", ...STRICT, ...options];
  return run(join(ROOT, "node_modules/.bin/tsc"), [...given, "types.mts"], { cwd: path });
}

describe("the package @marquee/server", () => {
  test("has no Node in it, and the version of the checkout", async () => {
    expect(existsSync(join(packed.serverInstall, "node_modules/node"))).toBe(false);
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect((await marquee("--version").finished).stdout).toBe(`${version}\n`);
  });

  test("runs with the flags and variables of bin/marquee", async () => {
    const words = readFileSync(`/proc/${service.child.pid}/cmdline`, "utf8").split("\0");
    expect(words).toEqual(expect.arrayContaining(MARQUEE.args().slice(0, -1)));
    const variables = readFileSync(`/proc/${service.child.pid}/environ`, "utf8").split("\0");
    for (const [name, value] of Object.entries(MARQUEE.env)) {
      expect(variables).toContain(`${name}=${value}`);
    }
  });

  test("exports, imports in its thread, and serves in several processes", async () => {
    const exported = at("worldcup.ndjson");
    const project = ["--project", "worldcup"];
    await succeed(marquee("export", ...project, exported).finished);
    const database = ["--database", `sqlite:${at("copy.db")}`];
    await succeed(marquee("init", "--organization", "org", ...database).finished);
    const imported = await succeed(marquee("import", ...database, exported).finished);
    expect(imported.stdout).toMatch(/imported \d{3,} /);
    // Workers share a port, which therefore is not 0.
    const listen = ["--listen", `127.0.0.1:${await findFreePort()}`];
    const workers = marquee("serve", "--workers", "2", ...listen, ...database);
    await workers.printed(/Marquee is ready/);
    workers.child.kill("SIGTERM");
    expect(await workers.finished).toMatchObject({ code: 0 });
  });

  test("describes its interfaces", async () => {
    for (const path of ["schema.binpb", "openapi.json", "reference/reference.js"]) {
      expect([path, (await fetch(`${env.MARQUEE_URL}/${path}`)).status]).toEqual([path, 200]);
    }
  });

  test("exports its functions with their declarations", async () => {
    const program = `
      import { applySession } from "@marquee/server/additional-filters";
      import { parseKql, printKql } from "@marquee/server/kql";
      import { createScope, resolveText } from "@marquee/server/variables";
      const settings = { filter: "", additionalFilters: { t: "a: {t}" }, showOnUnmatched: true };
      const { filter } = applySession(settings, { t: "x" });
      const text = resolveText("{id}", createScope({ parameters: { id: "1" } }));
      console.log(JSON.stringify([filter, printKql(parseKql("a:1")), text]));
    `;
    expect(JSON.parse(await runProgram(packed.serverInstall, program))).toEqual([
      ...['a: "x"', "a: 1", { kind: "resolved", text: "1" }],
    ]);
    const types = await checkTypes(packed.serverInstall, program, "--module", "nodenext");
    expect(types).toMatchObject({ code: 0, stdout: "" });
  });
});

describe("the package @marquee/client", () => {
  const program = `
    import { createDeliveryClient, createStudioClient, hasReason, kql, toJson } from "@marquee/client";
    import { applySession } from "@marquee/client/additional-filters";
    import { type Card, type Event, EventSchema, EventService, type VisibilityName } from "@marquee/client/delivery";
    import { EventService as Same } from "@marquee/client/gen/svc/cda/cms/event/v1/event_service_pb";
    import { is } from "@marquee/client/kql";
    import { createScope } from "@marquee/client/variables";
    const { event } = createDeliveryClient({ url: "http://127.0.0.1:1", key: "mqp_x" });
    const list = async (): Promise<Event[]> => (await event.listEvents({ pageSize: 1 })).events;
    // @ts-expect-error: no such field.
    const wrong = () => event.listEvents({ pageSizes: 1 });
    const names = async (): Promise<VisibilityName[]> => toJson(await list()).map((it) => it.visibility);
    const { pageComponent } = createStudioClient({ url: "http://127.0.0.1:1", accessToken: "mqa_x" });
    const cardOf = async (): Promise<Card | undefined> => {
      const card: Card = { kind: "round" };
      const response = await pageComponent.createPageComponent({
        page_component: { project_id: "a", rail: { card }, visibility: "VISIBILITY_HIDDEN" },
      });
      const data = response.pageComponent?.data;
      return data?.case === "rail" ? data.value.card : undefined;
    };
    export { applySession, cardOf, createScope, EventSchema, hasReason, is, kql, list, names, wrong };
    console.log(EventService === Same, kql.is("a", 'b"'));
  `;

  test("resolves with its peers after a bare npm install, in Node and for bundlers", async () => {
    writeFileSync(join(packed.clientInstall, "program.mts"), program);
    const { stdout } = await succeed(run(NODE, ["program.mts"], { cwd: packed.clientInstall }));
    expect(stdout).toBe('true a: "b\\""\n');
    for (const [module, resolution] of [
      ["nodenext", "nodenext"],
      ["esnext", "bundler"],
    ] as const) {
      const options = ["--types", "", "--module", module, "--moduleResolution", resolution];
      const types = await checkTypes(
        packed.clientInstall,
        program.replace(/console.log.*/, ""),
        ...options,
      );
      expect(types).toMatchObject({ code: 0, stdout: "" });
    }
  });
});

/** Installs an example into a folder of its name, and checks that its types are right without a cast. */
async function installExample(name: string): Promise<void> {
  await install(at(name), [packed.client], name);
  await succeed(run(join(ROOT, "node_modules/.bin/tsc"), ["-p", at(name), ...STRICT]));
  const files = globSync("{,src/}*.{ts,tsx}", { cwd: at(name) });
  const casts = files.filter((it) =>
    /\bas (?:[A-Z{(]|any|never|unknown)/.test(readFileSync(at(name, it), "utf8")),
  );
  expect([files.length > 0, casts]).toEqual([true, []]);
}

test("the example in Node reads, writes and distinguishes errors", async () => {
  await installExample("node");
  const { stdout } = await succeed(run(NODE, ["main.ts"], { cwd: at("node"), env }));
  expect(stdout.split("\n")).toEqual([
    expect.stringMatching(/^match-2026-104: \S/),
    "banner-home: Welcome",
    expect.stringMatching(/^RESOURCE_NOT_FOUND: /),
    "",
  ]);
});

test("the example of a server keeps its pages until what they show has changed", async () => {
  await installExample("server");
  const given = { ...env, SECRET: "s", PORT: "0" };
  const server = start(NODE, ["main.ts"], { cwd: at("server"), env: given });
  const [url] = await server.printed(/^http:\S+/m);
  const read = async (path: string) => {
    const response = await fetch(url + path);
    return { status: response.status, text: await response.text() };
  };
  const rename = async (name: string) => {
    const { status } = await fetch(`${env.MARQUEE_URL}/ott/page_components/v2/banner-home`, {
      method: "PATCH",
      headers: {
        authorization: `Bearer ${env.ACCESS_TOKEN}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ page_component_update: { name }, update_mask: "name" }),
    });
    expect(status).toBe(200);
  };
  const revalidate = async (tag: string, secret: string) => {
    const headers = { authorization: `Bearer ${secret}` };
    return (await fetch(`${url}/revalidate?tag=${tag}`, { method: "POST", headers })).status;
  };
  await rename("Before");
  expect((await read("/home")).text).toContain("<h2>Before</h2>");
  await rename("After");
  const tag = "worldcup/page_components/banner-home";
  expect(await revalidate(tag, "wrong")).toBe(403);
  expect(await revalidate("worldcup/page_components/another", "s")).toBe(204);
  expect((await read("/home")).text).toContain("<h2>Before</h2>");
  expect(await revalidate(tag, "s")).toBe(204);
  expect((await read("/home")).text).toContain("<h2>After</h2>");
  expect((await read("/nowhere")).status).toBe(404);
  expect((await read("/home")).text).toContain("<li>Day Pass €3.99</li>");
  expect((await read("/match?id=match-2026-104")).text).toMatch(
    /<title>Spain vs Argentina<\/title>.*<output data-event="match-2026-104">1:0<\/output>.*<li>7\/19\/2026 Spain vs Argentina<\/li>/,
  );
  expect((await read("/score?id=nothing")).status).toBe(404);
  expect((await read("/live-score.js")).text).toContain("new EventSource(`/score?id=");
  const ended = new AbortController();
  const scores = await fetch(`${url}/score?id=match-2022-64`, { signal: ended.signal });
  const goals: string[] = [];
  for await (const text of scores.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    goals.push(text);
    if (goals.length === 3) break;
  }
  ended.abort();
  expect(new Set(goals).size).toBe(3);
  for (const goal of goals) expect(goal).toMatch(/^data: [0-3]:[0-3]\n\n$/);
});

const chromium = findChromium();
const isSkipped = chromium === undefined && !isChromiumRequired;
if (isSkipped) {
  process.stderr.write(
    "\n*** SKIPPED: the example in React, as this machine has no Chromium ***\n\n",
  );
}

test.skipIf(isSkipped)(
  "the example in React lists a team's matches and shows a live score in a browser",
  async () => {
    const path = at("react");
    await installExample("react");
    const settings = `VITE_MARQUEE_URL=${env.MARQUEE_URL}\nVITE_PUBLIC_KEY=${env.PUBLIC_KEY}\n`;
    writeFileSync(join(path, ".env"), settings);
    await npm(path, "run", "build");
    const site = createServer(({ url = "/" }, response) => {
      const name = url === "/" ? "index.html" : url.slice(1);
      const type = name.endsWith(".js") ? "text/javascript" : "text/html";
      response.setHeader("content-type", type).end(readFileSync(join(path, "dist", name)));
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const browser = await launchChromium(chromium);
    try {
      const page = await browser.newPage();
      const methods: string[] = [];
      page.on("request", (it) => {
        if (it.url().startsWith(env.MARQUEE_URL)) methods.push(it.method());
      });
      await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
      const entries = page.locator("li");
      await entries.nth(4).waitFor({ timeout: 15_000 });
      await page.getByRole("button", { name: "More" }).click();
      await entries.nth(5).waitFor({ timeout: 15_000 });
      for (const text of await entries.allTextContents()) expect(text).toContain("Spain");
      await page
        .locator("output", { hasText: /^Argentina vs France \d:\d$/ })
        .waitFor({ timeout: 15_000 });
      const score = await page.locator("output").textContent();
      await expect
        .poll(() => page.locator("output").textContent(), { timeout: 15_000 })
        .not.toBe(score);
      // No preflight was sent.
      expect(new Set(methods)).toEqual(new Set(["GET"]));
    } finally {
      await browser.close();
      site.close();
      site.closeAllConnections();
    }
  },
);
