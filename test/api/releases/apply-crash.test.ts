import { expect, test } from "vitest";
import { startOver } from "../../harness/marquee.ts";
import { MARQUEE, programPath, start } from "../../harness/process.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

/** The rounds of two processes; `RELEASE_ROUNDS=50` kills a hundred. */
const ROUNDS = Number(process.env.RELEASE_ROUNDS ?? 3);
const STEPS = ["write", "commit", "moment"] as const;
const EVENTS = ["c0", "c1", "c2", "c3"];
const WRITERS = 16;

const marquee = await useMarquee();
const calls = new ReleaseCalls(marquee);

test("21: a release is applied once and as a whole, whenever its processes are killed, while 16 write", async () => {
  for (const id of EVENTS) await calls.createEvent(id, { title: { en: "0" } });
  let killed = 0;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const id = `crash-${round}`;
    const step = STEPS[round % STEPS.length] ?? "write";
    await calls.createRelease(id);
    for (const event of EVENTS) await calls.patchEvent(event, { title: { en: String(round) } }, id);
    await calls.createEvent(`new-${id}`, {}, id);
    const script = programPath("test/api/releases/release-process.ts");
    const args = [script, JSON.stringify(marquee.address), step];
    const processes = [start(MARQUEE.program, args), start(MARQUEE.program, args)];
    await Promise.all(processes.map(({ printed }) => printed(/open/)));
    const release = { apply_time: new Date(Date.now() + 200).toISOString() };
    await calls.patch(`cms/releases/v1/${id}`, "release", release);
    let isOver = false;
    const writing = Array.from({ length: WRITERS }, async (_, writer) => {
      const event = EVENTS[writer % EVENTS.length] ?? "";
      let writes = 0;
      do {
        writes += 1;
        const description = { [`x${writer}`]: `${round}-${writes}` };
        const { status } = await calls.send("POST", "cms/records/v1:write", {
          project_id: DEMO.projectId,
          records: [
            {
              event: { id: event, project_id: DEMO.projectId, fields: description },
              fields_mask: `fields.x${writer}`,
            },
          ],
        });
        expect(status).toBe(200);
      } while (!isOver);
      return `${round}-${writes}`;
    });
    const stateOf = async () => {
      const got = await Promise.all([
        ...EVENTS.map(async (event) => (await calls.getEvent(event)).title.en === String(round)),
        (async () => (await calls.send("GET", `cms/events/v1/new-${id}`)).status === 200)(),
      ]);
      return [...new Set(got)];
    };
    const ended = Promise.all(
      processes.map(async ({ finished }) => {
        const { signal } = await finished;
        if (signal === "SIGKILL") killed += 1;
      }),
    );
    await Promise.race(processes.map(({ finished }) => finished));
    const first = await calls.getRelease(id);
    // The other process has nothing left to apply.
    if (first.state === "RELEASE_STATE_APPLIED")
      for (const { child } of processes) child.kill("SIGKILL");
    await ended;
    isOver = true;
    const last = await Promise.all(writing);
    const { state } = await calls.getRelease(id);
    expect(await stateOf()).toEqual([state === "RELEASE_STATE_APPLIED"]);

    const store = await marquee.openAnother();
    const server = await startOver(store, { runsActions: true });
    const readState = async () => (await calls.getRelease(id)).state;
    await expect.poll(readState).toBe("RELEASE_STATE_APPLIED");
    await server.close(1_000);
    await store.close();
    expect(await stateOf()).toEqual([true]);
    const query = new URLSearchParams({
      project_id: DEMO.projectId,
      filter: `release_id: ${id}`,
    });
    expect((await calls.call("GET", `cms/changes/v1?${query}`)).changes).toHaveLength(1);
    for (const [writer, value] of last.entries()) {
      const { fields } = await calls.getEvent(EVENTS[writer % EVENTS.length] ?? "");
      expect(fields[`x${writer}`]).toBe(value);
    }
  }
  expect(killed).toBe(2 * ROUNDS);
});
