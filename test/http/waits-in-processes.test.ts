import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { send } from "../harness/http.ts";
import { type Marquee, startMarquee } from "../harness/marquee.ts";
import { type ServiceProcess, serveDatabase } from "../harness/service-process.ts";
import { lastOf, readOf, startWaiting } from "./waiting-clients.ts";

describe("reads that wait in another process", () => {
  let marquee: Marquee;
  let other: ServiceProcess;
  beforeAll(async () => {
    marquee = await startMarquee();
    other = await serveDatabase(marquee.address, ["--drain-seconds", "3"]);
  }, 60_000);
  afterAll(async () => {
    await other.stop();
    await marquee.close();
  });

  test("17: have a write within two seconds", async () => {
    const read = readOf(other, "match-2026-104", marquee.keys.public);
    const { responses } = await startWaiting(other, read);
    const { status } = await send("PATCH", `${marquee.url}/cms/events/v1/match-2026-104`, {
      token: marquee.tokens.owner,
      headers: { "x-project-id": "worldcup" },
      body: { event: { fields: { score: { home: 7 } } }, update_mask: "fields" },
    });
    expect(status).toBe(200);
    const start = performance.now();
    const all = await Promise.all(responses);
    expect(new Set(all.map(({ got }) => got.json.event.fields.score.home))).toEqual(new Set([7]));
    expect(lastOf(all, start)).toBeLessThan(5_000);
  }, 30_000);

  test("24: end at SIGTERM, and the process in its drain time", async () => {
    const read = readOf(other, "match-2026-104", marquee.keys.public);
    const { state, responses } = await startWaiting(other, read);
    const start = performance.now();
    const stopped = other.stop();
    const all = await Promise.all(responses);
    expect(new Set(all.map(({ got }) => got.status))).toEqual(new Set([200]));
    expect(lastOf(all, start)).toBeLessThan(3_000);
    const { status } = await send("GET", `${read}&after=${state}&wait=10`);
    expect([status, performance.now() - start < 3_000]).toEqual([200, true]);
    expect([await stopped, performance.now() - start < 5_000]).toEqual([0, true]);
  }, 30_000);
});
