import { platform } from "node:os";
import { setTimeout } from "node:timers/promises";
import { afterAll, expect, test, vi } from "vitest";
import { PROGRAMS } from "../harness/process.ts";
import { readMemory } from "../harness/process-usage.ts";
import { serveProcess } from "../harness/service-process.ts";
import { createServiceFolder } from "../harness/test-folder.ts";

// The program as users have it, not its bundle.
vi.stubEnv(PROGRAMS, undefined);
afterAll(() => vi.unstubAllEnvs());

/** Generous: measured are 113 to 130 MB. */
const MOST_MB = 180;

// Read from /proc.
test.skipIf(platform() !== "linux")("a service at rest takes little memory", async () => {
  const service = await serveProcess(createServiceFolder());
  let memory = Number.POSITIVE_INFINITY;
  // The garbage of the start is collected a second after it, later on a busy machine.
  for (let time = 0; time < 10 && memory >= MOST_MB; time += 1) {
    await setTimeout(2_000);
    memory = readMemory(service.child.pid ?? 0);
  }
  expect(memory).toBeLessThan(MOST_MB);
  expect(await service.stop()).toBe(0);
});
