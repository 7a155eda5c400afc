import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import { send } from "../harness/http.ts";
import { connectRaw, head } from "../harness/raw-socket.ts";
import { serveProcess } from "../harness/service-process.ts";
import { useServiceFolder } from "../harness/test-folder.ts";

const folder = useServiceFolder();

const COMPONENT = "/ott/page_components/v2/banner-home";
const BATCH = "/ott/page_components/v1/batch?page_component_ids=banner-home";
const rename = (name: string) =>
  JSON.stringify({ page_component_update: { name }, update_mask: "name" });

/** The code of a request whose service was killed. */
const LOST = /^(ECONNRESET|ECONNREFUSED|EPIPE)$/;

const readDemo = (of: typeof folder) => JSON.parse(readFileSync(of.demoFile, "utf8"));

test("acknowledged writes are there after a kill in the middle of others: of one writer, then of many", async () => {
  const first = await serveProcess(folder);
  const token: string = readDemo(folder).accounts.owner;
  let acknowledged = -1;
  let number = 0;
  const rewrite = async () => {
    for (; ; number += 1) {
      const body = rename(`write ${number}`);
      const got = await send("PATCH", first.studioUrl + COMPONENT, { token, body });
      expect(got.status).toBe(200);
      acknowledged = number;
      if (acknowledged === 60) first.child.kill("SIGKILL");
    }
  };
  // One writer at a time: so the last acknowledged write is the one that must be found.
  await expect(rewrite()).rejects.toMatchObject({ code: expect.stringMatching(LOST) });
  expect((await first.finished).signal).toBe("SIGKILL");

  const second = await serveProcess(folder);
  expect(readDemo(folder).accounts.owner).toBe(token);
  const got = await send("GET", second.studioUrl + BATCH, { token });
  const [, found] = /^write (\d+)$/.exec(got.json.page_components[0].name) ?? [];
  expect(Number(found)).toBeGreaterThanOrEqual(Math.max(acknowledged, 60));
  expect(Number(found)).toBeLessThanOrEqual(number);

  const created = new Set<string>();
  const create = async (writer: number) => {
    const url = `${second.studioUrl}/streaming/video_protection/v2/rulesets`;
    for (let index = 0; ; index += 1) {
      const body = { project_id: "worldcup", name: `${writer}-${index}` };
      const got = await send("POST", url, { token, body });
      expect(got.status, got.text).toBe(200);
      created.add(got.json.video_protection_ruleset.id);
      if (created.size === 100) second.child.kill("SIGKILL");
    }
  };
  const writers = Array.from({ length: 8 }, (_, writer) => create(writer));
  for (const { reason } of (await Promise.allSettled(writers)) as PromiseRejectedResult[]) {
    expect(reason.code).toMatch(LOST);
  }
  await second.finished;
  const store = openSqliteStore(folder.database);
  const rulesets = await store.access.locate("ruleset", [...created], "org-worldcup");
  expect(rulesets.length).toBe(created.size);
  expect(created.size).toBeGreaterThanOrEqual(100);
  await store.close();
});

describe("the end of a service", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s, also twice, lets the request under way finish, and the exit code is 0",
    async (signal) => {
      const service = await serveProcess(folder);
      const token = readDemo(folder).accounts.owner;
      const body = rename(`kept through ${signal}`);
      const raw = await connectRaw(service.studioUrl);
      raw.write(
        head(`PATCH ${COMPONENT}`, {
          Authorization: `Bearer ${token}`,
          "Content-Type": "application/json",
          "Content-Length": String(body.length),
          Expect: "100-continue",
        }),
      );
      // The response 100 shows that the request has got as far as its body.
      await new Promise((resolve) => raw.socket.once("data", resolve));
      service.child.kill(signal);
      await rejectsConnections(service.studioUrl);
      service.child.kill(signal);
      // The second signal has arrived before the rest of the request.
      await setTimeout(100);
      raw.write(body);
      const got = await raw.response();
      expect(got.status).toBe(200);
      expect(JSON.parse(got.text).page_component.name).toBe(`kept through ${signal}`);
      const { code, signal: by } = await service.finished;
      expect({ code, by }).toEqual({ code: 0, by: null });
      expect(service.stderr()).not.toMatch(/"level":(40|50|60)/);
      const lines = service
        .stderr()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(lines[0]).toMatchObject({
        engine: "sqlite",
        studio: service.studioUrl,
        msg: "started",
      });
      const stopped = { reason: signal, duration_ms: expect.any(Number), msg: "stopped" };
      expect(lines.at(-1)).toMatchObject(stopped);
      expect(lines.map(({ msg }) => msg)).toEqual(["started", "stopping", "request", "stopped"]);
    },
  );
});

/** Waits until the port takes no more connections. */
async function rejectsConnections(url: string): Promise<void> {
  for (;;) {
    try {
      (await connectRaw(url)).destroy();
    } catch {
      return;
    }
  }
}
