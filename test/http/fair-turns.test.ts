import { expect, test } from "vitest";
import { connectRaw, head } from "../harness/raw-socket.ts";
import { startReadService } from "../harness/read-service.ts";
import { expectWithin, LONGEST_TURN, watchTurns } from "../harness/turns.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();

/** Occupies the thread for as long as a slice may take. */
function spin(): void {
  const end = performance.now() + 10;
  while (performance.now() < end);
}

test("a read of one project waits for a few turns of another's, not for all of its thirty callers", async () => {
  /** The project of each slice, in the order in which they were done. */
  const slices: string[] = [];
  const service = await startReadService(marquee, {
    async listEvents({ pageSize }, { budget, key }) {
      const { projectId } = key;
      for (let slice = 0; slice < pageSize; slice += 1) {
        await budget.nextStep();
        budget.count(spin);
        slices.push(projectId);
      }
      return {};
    },
  });
  let isOver = false;
  // No two messages are equal, so none gets the response to another.
  const busy = Array.from({ length: 30 }, async (_, caller) => {
    for (let round = 0; !isOver; round += 1) {
      await service.list({ pageSize: 5, filter: `id:'${caller} ${round}'` });
    }
  });
  while (slices.length < 30) await new Promise((resolve) => setTimeout(resolve, 10));
  const waits: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const before = slices.length;
    const filter = `id:'${round}'`;
    await service.list({ pageSize: 3, filter }, { token: marquee.keys.sandbox });
    waits.push(slices.lastIndexOf("sandbox") - before - 2);
  }
  isOver = true;
  await Promise.all(busy);
  await service.close();
  // One for the arrival of the request, one before each of its slices, and one that began before it arrived.
  expect(Math.max(...waits)).toBeLessThanOrEqual(6);
});

/** A component with clauses that take long to read, over Connect and HTTP/JSON. */
const CLAUSES = Object.fromEntries(
  Array.from({ length: 100 }, (_, key) => [
    ...[`k${key}`, `f: (${Array.from({ length: 250 }, (_, it) => `x${it}`).join(" or ")})`],
  ]),
);
const BODY = JSON.stringify({
  page_id: "page-home",
  page_component: { project_id: "worldcup", type: "rail", rail: { additional_filters: CLAUSES } },
});
const PATHS = [
  "/svc.studio.ott.rendering.v1.RenderingService/RenderPageComponent",
  "/ott/page_components/v2:render",
];

test.each(PATHS)(
  "of bodies that end at the same moment, one is read in a turn: %s",
  async (path) => {
    const headers = {
      Authorization: `Bearer ${marquee.tokens.viewer}`,
      ...{ "Content-Type": "application/json", "Connect-Protocol-Version": "1" },
      "Content-Length": String(BODY.length),
    };
    const sockets = await Promise.all(Array.from({ length: 20 }, () => connectRaw(marquee.url)));
    for (const it of sockets) it.write(`${head(`POST ${path}`, headers)}${BODY.slice(0, -1)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { longest } = await watchTurns(async () => {
      for (const it of sockets) it.write(BODY.slice(-1));
      // Four calls of an account may be expensive.
      for (const it of sockets) expect((await it.response()).text).toMatch(/k99|EXPENSIVE_READS/);
    });
    for (const it of sockets) it.destroy();
    expectWithin(longest, LONGEST_TURN);
  },
);
