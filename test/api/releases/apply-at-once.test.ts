import { describe, expect, test } from "vitest";
import { reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { ReleaseCalls } from "./releases.ts";

const calls = new ReleaseCalls(await useMarquee());

describe("at the same moment", () => {
  test("a release is applied once, and each draft that was accepted is current", async () => {
    const names = Array.from({ length: 6 }, (_, index) => `am-${index}`);
    for (const name of names) await calls.createEvent(name);
    const outcomes = new Set<string>();
    for (let round = 1; round <= 12; round += 1) {
      const id = await calls.createRelease(`am-${round}`);
      const title = { en: `${round}` };
      const write = (name: string) =>
        calls.send("PATCH", `cms/events/v1/${name}`, {
          ...{ event: { title }, update_mask: "title", release_id: id },
        });
      // The first is accepted and the last is refused; those between race.
      const [early = "", ...rest] = names;
      const late = rest.pop() ?? "";
      const accepted = await write(early);
      const [racing, applies] = await Promise.all([
        Promise.all(rest.map(write)),
        Promise.all([calls.apply(id), calls.apply(id), calls.apply(id)]),
      ]);
      const writes = [accepted, ...racing, await write(late)];
      expect(applies.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
      for (const [index, got] of writes.entries()) {
        const isAccepted = got.status === 200;
        outcomes.add(isAccepted ? "accepted" : String(reasonOf(got)));
        const event = await calls.getEvent(names[index] ?? "");
        expect([isAccepted, event.title]).toEqual([
          isAccepted,
          isAccepted ? title : expect.not.objectContaining(title),
        ]);
      }
      expect(await calls.itemsOf(id)).toEqual([]);
    }
    expect([...outcomes].sort()).toEqual(["RELEASE_STATE_FORBIDS", "accepted"]);
  });

  test("a release is scheduled with the drafts that were accepted, and with no other one", async () => {
    const names = Array.from({ length: 6 }, (_, index) => `as-${index}`);
    for (const name of names) await calls.createEvent(name);
    const release = { apply_time: new Date(Date.now() + 3_600_000).toISOString() };
    for (let round = 1; round <= 12; round += 1) {
      const id = await calls.createRelease(`as-${round}`);
      const scheduling = calls.patch(`cms/releases/v1/${id}`, "release", release);
      const [writes, locked] = await Promise.all([
        Promise.all(
          names.map((name) =>
            calls.send("PATCH", `cms/events/v1/${name}`, {
              ...{ event: { title: { en: id } }, update_mask: "title", release_id: id },
            }),
          ),
        ),
        scheduling.then(() => calls.itemsOf(id)),
      ]);
      const rejected = writes.filter(({ status }) => status !== 200);
      expect(rejected.map(reasonOf)).toEqual(rejected.map(() => "RELEASE_SCHEDULED"));
      expect(locked).toHaveLength(names.length - rejected.length);
      expect(await calls.itemsOf(id)).toEqual(locked);
      await calls.call("PATCH", `cms/releases/v1/${id}`, {
        release: {},
        update_mask: "apply_time",
      });
    }
  });
});
