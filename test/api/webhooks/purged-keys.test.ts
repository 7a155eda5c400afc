import { expect, test } from "vitest";
import { createRandom } from "../../../demo/data/random.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { type Cached, PROJECT, PurgedWorld } from "./purged-world.ts";

const SEED = 37;
const WRITES = 40;

const marquee = await useMarquee({ limits: { cacheMib: 0 } });

/** The keys that a response had while every page had the collection of components, and every list its own. */
function toEarlierKeys({ name, keys }: Cached): readonly string[] {
  const earlier = keys.map((key) => key.replace(/\/(?:type|entity):.*/, ""));
  return name.includes("/GetPage ") ? [...earlier, `${PROJECT}/page_components`] : earlier;
}

test("a change names a key of every response that it changes, and of few others", async ({
  annotate,
}) => {
  const world = await PurgedWorld.create(marquee, createRandom(SEED));
  const [missed, counts] = [new Set<string>(), { changed: 0, purged: 0, purgedEarlier: 0 }];
  await world.takeKeys();
  let before = await world.readAll();
  for (let count = 0; count < WRITES; count += 1) {
    const write = await world.write();
    const announced = await world.takeKeys();
    // The key of an import is the project, the beginning of every key.
    const isPurged = (keys: readonly string[]) =>
      announced.includes(PROJECT) || keys.some((key) => announced.includes(key));
    const after = await world.readAll(before);
    for (const [index, cached] of before.entries()) {
      if (cached.status !== 200) continue;
      const hasChanged = after[index]?.text !== cached.text;
      if (hasChanged) counts.changed += 1;
      if (isPurged(cached.keys)) counts.purged += 1;
      if (isPurged(toEarlierKeys(cached))) counts.purgedEarlier += 1;
      if (!hasChanged || isPurged(cached.keys)) continue;
      missed.add(`${write} announces ${announced}, not ${cached.keys} of ${cached.name}`);
    }
    before = after;
  }
  await annotate(`responses: ${JSON.stringify(counts)}`);
  expect([...missed]).toEqual([]);
  const [tooMany, tooManyEarlier] = [counts.purged, counts.purgedEarlier].map(
    (all) => all - counts.changed,
  );
  expect(counts.changed).toBeGreaterThan(WRITES);
  expect(tooMany).toBeLessThan((tooManyEarlier ?? 0) * 0.9);
});
