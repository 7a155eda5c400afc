import { expect, test } from "vitest";
import { startReadService } from "../harness/read-service.ts";
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
