import { expect, test } from "vitest";
import { createRandom } from "../../../demo/data/random.ts";
import { listUnderived } from "../../harness/derived-rows.ts";
import { reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { BETWEEN_RESOURCES, DIFFERENCES, findDifference } from "./differences.ts";
import { AppliedRelease, FileImport, Records, SingleCalls, type Way } from "./ways.ts";
import { type Line, World } from "./world.ts";
import { makeWrite, subjectsOf, type Write } from "./writes.ts";

const SEED = 16;
/** Enough that every reason and every difference occurs. */
const WRITES = 180;
/** The batches after which the ways are compared. */
const COMPARED = 18;

/** Why single calls refuse writes. */
const REASONS = [
  "ALREADY_EXISTS",
  "DURATION_INVALID",
  "GROUP_NOT_ADJACENT",
  "PAGE_FILTER_LIMIT",
  "QUOTA_EXCEEDED",
  "REFERENCE_NOT_FOUND",
  "RESOURCE_NOT_FOUND",
  "STILL_REFERRED_TO",
  "TIME_WINDOW_INVALID",
  "TYPE_MISMATCH",
  "WINDOW_INVALID",
];

let now = Date.parse("2026-07-01T00:00:00Z");
const { store, url, address } = await useMarquee({ clock: () => new Date(now) });

/** A way of writing with the project that it writes. */
interface Writer {
  readonly name: string;
  readonly world: World;
  readonly way: Way;
}

test("writes have the same effect and the same errors in every way", async () => {
  const source = await createWorld(0);
  const single = new SingleCalls(source);
  const writers = await createWriters(source);
  const random = createRandom(SEED);
  const windows = createRandom(SEED);
  const met = new Set<string>();
  const reasons = new Set<string>();
  let batch: Write[] = [];
  let batches = 0;

  /** Makes the writes of the batch in the other ways, and then a write that single calls have refused. */
  const finish = async (refused?: Write, reason?: string) => {
    const isExisting = refused !== undefined && (await source.has(refused));
    for (const { name, way } of writers) {
      const difference = refused && findDifference(name, refused, isExisting, reason);
      if (difference !== undefined) met.add(difference.why);
      const effect = difference?.effect;
      const about = { name, batch, refused };
      const got = await way.write(batch, effect === "omitted" ? undefined : refused);
      const want = effect === "omitted" ? undefined : reason;
      const isOneOfTwo = [got, want].every((it) => BETWEEN_RESOURCES.includes(it ?? ""));
      if (effect === "anyReason" || isOneOfTwo) expect(got).toBeDefined();
      else expect({ ...about, got }).toEqual({ ...about, got: want });
    }
    batch = [];
    batches += 1;
    now += 1_000;
    if (batches % COMPARED === 0) await compare(source, writers);
  };

  for (let count = 0; count < WRITES; count += 1) {
    const write = await makeWrite(random, windows, source);
    const subjects = batch.flatMap(subjectsOf);
    if (subjectsOf(write).some((it) => subjects.includes(it))) await finish();
    const got = await single.call(write);
    const reason = reasonOf(got);
    if (got.status === 200) batch.push(write);
    else await finish(write, reason);
    if (reason !== undefined) reasons.add(reason);
  }
  await finish();
  await compare(source, writers);
  expect(DIFFERENCES.map(({ why }) => why).filter((it) => !met.has(it))).toEqual([]);
  expect([...reasons].sort()).toEqual(REASONS);
});

function createWorld(number: number): Promise<World> {
  return World.create(number, store, url, new Date(now));
}

async function createWriters(source: World): Promise<readonly Writer[]> {
  const [together, each, release, file] = [
    await createWorld(1),
    await createWorld(2),
    await createWorld(3),
    await createWorld(4),
  ];
  return [
    { name: "records together", world: together, way: new Records(together, "TOGETHER") },
    { name: "records each", world: each, way: new Records(each, "EACH") },
    { name: "release", world: release, way: new AppliedRelease(release) },
    { name: "file", world: file, way: new FileImport(file, source) },
  ];
}

/** Compares what the ways have written, and how revisions have moved. */
async function compare(source: World, writers: readonly Writer[]): Promise<void> {
  expect(await listUnderived(address)).toEqual([]);
  const want = await source.state();
  expect(await source.listRevisionErrors()).toEqual([]);
  for (const { name, world, way } of writers) {
    // Records order components without writing their page, whose ETag a single call changes.
    const lines = way instanceof Records ? withoutPageTimes : (all: readonly Line[]) => all;
    const got = await world.state();
    expect({ name, ...got, lines: lines(got.lines) }).toEqual({
      name,
      ...want,
      lines: lines(want.lines),
    });
    expect([name, await world.listRevisionErrors()]).toEqual([name, []]);
  }
}

function withoutPageTimes(lines: readonly Line[]): readonly Line[] {
  return lines.map((line) =>
    line.page === undefined ? line : { page: { ...line.page, update_time: "" } },
  );
}
