import type { Random } from "../../../demo/data/random.ts";
import type { RecordKind } from "../../../src/domain/records/record.ts";
import { chance, pick } from "../../../tools/fuzz/values.ts";
import type { Name, World } from "./world.ts";

/** A write of one resource. */
export type Write =
  | (Name & { readonly verb: "create"; readonly body: Body; readonly at?: Place })
  | (Name & { readonly verb: "update"; readonly body: Body; readonly pageId?: string })
  | (Name & { readonly verb: "delete"; readonly isForced: boolean; readonly pageId?: string })
  | (Name & { readonly verb: "reorder"; readonly componentIds: readonly string[] });

/** Fields of a resource, with proto names. */
export type Body = Readonly<Record<string, unknown>>;

/** The place of a new component. */
export interface Place {
  readonly pageId: string;
  readonly position: number;
  /** The component before it; empty: it comes first. */
  readonly after: string;
}

/** Makes all fields of a resource, some of them against a rule. */
type MakeBody = (random: Random) => Body;

const IDS = ["a", "b", "c"];
const VISIBILITIES = ["VISIBILITY_PUBLISHED", "VISIBILITY_PUBLISHED", "VISIBILITY_HIDDEN"];
const WORDS = ["goal", "match", "final"];

const idOf = (kind: string, random: Random) => `${kind}-${pick(random, IDS)}`;
const idsOf = (kind: string, random: Random) =>
  IDS.filter(() => chance(random, 30)).map((it) => `${kind}-${it}`);
const title = (random: Random) => ({ en: `${pick(random, WORDS)} ${pick(random, WORDS)}` });
/** A name, rarely none, which is required. */
const name = (random: Random) => (chance(random, 8) ? "" : pick(random, WORDS));
const content: MakeBody = (random) => ({
  title: title(random),
  content_type: pick(random, ["match", "team"]),
  visibility: pick(random, VISIBILITIES),
  fields: { rank: random.below(4), code: pick(random, IDS) },
});
const related: MakeBody = (random) => ({
  entity_ids: idsOf("entity", random),
  video_ids: idsOf("video", random),
});
/** The type of a component, with its data. */
const data: MakeBody = (random) =>
  pick(random, [
    { type: "text", text: { body: pick(random, WORDS) } },
    { type: "text", text: { body: pick(random, WORDS) } },
    { type: "filter", filter: {} },
    { type: "banner_collection", banner_collection: { id: idOf("banner_collection", random) } },
    { type: "banner_collection", banner_collection: { id: "banner_collection-a" } },
  ]);

/** The kinds that are written. */
export const BODIES: Readonly<Partial<Record<RecordKind, MakeBody>>> = {
  entity: content,
  creative_work: (random) => ({ ...content(random), ...related(random) }),
  event: (random) => ({
    ...content(random),
    ...related(random),
    start_time: "2026-07-02T18:00:00Z",
    end_time: chance(random, 10) ? "2026-07-01T18:00:00Z" : "2026-07-02T20:00:00Z",
  }),
  video: (random) => ({ name: name(random), duration: `${random.below(9)}s` }),
  action: (random) => ({
    name: name(random),
    webhook: { url: `https://hooks.example.com/${pick(random, IDS)}` },
  }),
  annotation_type: (random) => ({ name: name(random) }),
  annotation: (random) => ({
    type_id: idOf("annotation_type", random),
    video_id: idOf("video", random),
    offset: `${random.below(9)}s`,
    timer_label: pick(random, WORDS),
    entity_ids: idsOf("entity", random),
  }),
  banner_collection: (random) => ({ name: name(random), banners: [{ title: title(random) }] }),
  page: (random) => ({ slug: pick(random, [...IDS, ...IDS, "Not a slug"]), title: title(random) }),
  page_component: (random) => ({
    name: pick(random, WORDS),
    css_classes: idsOf("wide", random),
    group_id: pick(random, ["", "", "g"]),
    ...data(random),
  }),
  ruleset: (random) => ({
    name: name(random),
    priority: String(random.below(9)),
    target: { video_ids: idsOf("video", random), event_ids: idsOf("event", random) },
  }),
  offer: (random) => ({
    name: name(random),
    position: random.below(9),
    opens: { creative_work_ids: idsOf("creative_work", random), event_ids: ["event-a"] },
  }),
};

/** The kinds that have windows. */
const WINDOWED: readonly RecordKind[] = [
  ...(["banner_collection", "creative_work", "entity", "event"] as const),
  ...(["offer", "page", "page_component", "video"] as const),
];

/** A window or none, rarely one that ends at its start. */
const window: MakeBody = (random) => {
  const [start_time, end_time] = ["2026-07-01T12:00:00Z", "2026-07-03T12:00:00Z"];
  if (chance(random, 3)) return { availability: { start_time, end_time: start_time } };
  return pick<Body>(random, [
    {},
    { availability: {} },
    { availability: { start_time } },
    { availability: { end_time } },
    { availability: { start_time, end_time } },
  ]);
};

const KINDS = Object.keys(BODIES) as RecordKind[];
const PARTS = [..."123456789"].map((it) => `part-${it}`);

/** Makes a write of a world, with a window drawn from `windows`; a few are refused. */
export async function makeWrite(random: Random, windows: Random, world: World): Promise<Write> {
  const write = await makeOther(random, world);
  if (!WINDOWED.includes(write.kind) || !("body" in write)) return write;
  return { ...write, body: { ...write.body, ...window(windows) } };
}

/** Makes a write without a window. */
async function makeOther(random: Random, world: World): Promise<Write> {
  const kind = chance(random, 30) ? "page_component" : pick(random, KINDS);
  const ids = kind === "page_component" ? PARTS : IDS.map((it) => `${kind}-${it}`);
  const existing = await world.listExisting(kind, ids);
  const missing = ids.filter((it) => !existing.includes(it));
  const body = BODIES[kind]?.(random) ?? {};
  const verb = random.weighted([
    { verb: "create", weight: missing.length * 3 },
    { verb: "update", weight: existing.length * 3 },
    { verb: "delete", weight: existing.length },
    { verb: "reorder", weight: kind === "page" ? existing.length * 4 : 0 },
  ] as const).verb;
  const [usual, other] = verb === "create" ? [missing, existing] : [existing, missing];
  const id = pick(random, chance(random, 95) || other.length === 0 ? usual : other);
  const pages = await world.organization.pageComponents.findPages([id]);
  const page = kind === "page_component" && { pageId: pages.get(id) ?? "page-a" };
  switch (verb) {
    case "create": {
      const at = kind === "page_component" && { at: await makePlace(random, world) };
      return { verb, kind, id, body, ...at };
    }
    case "update": {
      const names = Object.keys(body).filter((it) => it !== "type");
      const some = names.filter(() => chance(random, 40));
      const written = some.length > 0 ? some : [pick(random, names)];
      const fields = Object.fromEntries(written.map((it) => [it, body[it]]));
      return { verb, kind, id, body: fields, ...page };
    }
    case "delete":
      return { verb, kind, id, isForced: chance(random, 40), ...page };
    case "reorder": {
      const places = await world.placesOf(id);
      if (places.length > 1) return { verb, kind, id, componentIds: turn(random, places) };
      return { verb: "update", kind, id, body };
    }
    default:
      return verb satisfies never;
  }
}

async function makePlace(random: Random, world: World): Promise<Place> {
  const pages = await world.listExisting(
    "page",
    IDS.map((it) => `page-${it}`),
  );
  const pageId = pages.length === 0 || chance(random, 5) ? "page-a" : pick(random, pages);
  const places = await world.placesOf(pageId);
  const position = random.below(places.length + 1);
  return { pageId, position, after: places[position - 1] ?? "" };
}

/**
 * Returns several ids in another order. The order that a page has already is none: a single call gives the
 * page another ETag for it, and a release has no draft of it.
 */
function turn(random: Random, ids: readonly string[]): readonly string[] {
  const rest = [...ids];
  const turned = ids.flatMap(() => rest.splice(random.below(rest.length), 1));
  return turned.join() === ids.join() ? ids.toReversed() : turned;
}

/** Returns what a write changes: two writes of a batch change different resources, and the orders of different pages. */
export function subjectsOf(write: Write): readonly string[] {
  const own = `${write.kind}:${write.id}`;
  switch (write.verb) {
    case "create":
      return write.at === undefined ? [own] : [own, `order of ${write.at.pageId}`];
    case "update":
      return [own];
    case "delete":
      return [own, `order of ${write.pageId ?? write.id}`];
    case "reorder":
      return [`order of ${write.id}`, ...write.componentIds.map((id) => `page_component:${id}`)];
    default:
      return write satisfies never;
  }
}
