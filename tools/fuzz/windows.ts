import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { issueDemoCredentials } from "../../demo/credentials.ts";
import { createRandom, type Random } from "../../demo/data/random.ts";
import type { Server } from "../../src/server.ts";
import { getUrl } from "../../test/harness/calls.ts";
import type { FreshStore, OpenFresh } from "../../test/harness/fresh-store.ts";
import { reasonOf, send } from "../../test/harness/http.ts";
import { startOver } from "../../test/harness/marquee.ts";
import { keepProjectKey } from "../../test/storage/project-key.ts";
import { chance, pick } from "./values.ts";

/** How many reads are compared. */
export interface WindowFuzzing {
  readonly openFresh: OpenFresh;
  readonly cases: number;
  readonly seed: number;
  /** Called with each error as soon as it is found. */
  readonly onError?: (error: string) => void;
}

/** The results of a run. */
export interface WindowsFuzzed {
  readonly cases: number;
  /** The reads that show something. */
  readonly shown: number;
  readonly errors: readonly string[];
}

const PROJECT = "lab";
const PUBLIC_KEY = "mqp_window-fuzz-public";
const PREVIEW_KEY = "mqv_window-fuzz-preview";
const HOUR = 3_600_000;
/** The reads of one time. */
const READS = 50;
const HOURS = 12;

/** The number of resources of each kind, and its path in the Studio API. */
const KINDS = {
  event: [40, "cms/events/v1"],
  creative_work: [12, "cms/creative_works/v1"],
  entity: [6, "cms/entities/v1"],
  offer: [6, "monetization/offers/v1"],
  banner_collection: [4, "ott/banner_collections/v2"],
  page: [4, "ott/pages/v1"],
  page_component: [12, "ott/page_components/v2"],
} as const;
type Kind = keyof typeof KINDS;

/** A resource with its window, in hours from the start; absent: no end of that side. */
interface Windowed {
  readonly kind: Kind;
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly isShown: boolean;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

/** A read of the Delivery API; a list is read to its end. */
interface Read {
  readonly procedure: string;
  readonly message: Readonly<Record<string, unknown>>;
  /** The field of a list. */
  readonly list?: string;
}

/**
 * Compares public reads at random times with previews of the times, which are read before. Compares them also with a copy
 * without windows, whose resources are hidden when the windows are closed.
 */
export async function fuzzWindows({
  openFresh,
  cases,
  seed,
  onError = () => {},
}: WindowFuzzing): Promise<WindowsFuzzed> {
  const random = createRandom(seed);
  const start = Math.ceil(Date.now() / HOUR) * HOUR;
  const resources = createResources(random);
  const original = await Lab.open(openFresh, start);
  const copy = await Lab.open(openFresh, start);
  const errors: string[] = [];
  let [read, shown] = [0, 0];
  try {
    for (const resource of resources) {
      await original.create(resource, toWindow(resource, start));
      await copy.create(resource, {});
    }
    const times = Array.from({ length: Math.ceil(cases / READS) }, () => createTime(random, start));
    const rounds = times
      .sort((a, b) => a - b)
      .map((time) => ({
        time,
        reads: Array.from({ length: READS }, () => createRead(random)),
        previews: [] as unknown[],
      }));
    for (const { time, reads, previews } of rounds) {
      for (const it of reads) previews.push(await original.read(it, time));
    }
    for (const { time, reads, previews } of rounds) {
      original.now = time;
      for (const resource of resources) await copy.show(resource, isWithin(resource, time, start));
      for (const [index, it] of reads.entries()) {
        read += 1;
        const got = await original.read(it);
        if (JSON.stringify(got).includes('"id"')) shown += 1;
        const others = { preview: previews[index], copy: await copy.read(it) };
        for (const [name, want] of Object.entries(others)) {
          if (isDeepStrictEqual(got, want)) continue;
          const at = new Date(time).toISOString();
          const error = `seed ${seed}, ${JSON.stringify(it)} at ${at}\n  got  ${JSON.stringify(got)}\n  ${name} ${JSON.stringify(want)}`;
          errors.push(error);
          onError(error);
        }
      }
    }
  } finally {
    await original.close();
    await copy.close();
  }
  return { cases: read, shown, errors };
}

/** A service with a project of its own, and a clock. */
class Lab {
  now: number;
  readonly #fresh: FreshStore;
  #server: Server | undefined;
  #token = "";
  readonly #visible = new Set<string>();

  private constructor(fresh: FreshStore, now: number) {
    this.#fresh = fresh;
    this.now = now;
  }

  static async open(openFresh: OpenFresh, now: number): Promise<Lab> {
    const fresh = await openFresh("demo");
    const lab = new Lab(fresh, now);
    const { accounts } = await issueDemoCredentials(fresh.store, undefined, new Date(now));
    lab.#token = accounts.owner;
    lab.#server = await startOver(fresh.store, {
      clock: () => new Date(lab.now),
      limits: { cacheMib: 8 },
    });
    const project = { organization_id: "org-worldcup", name: "Lab" };
    await lab.#write("POST", `iam/projects/v1?project_id=${PROJECT}`, project);
    for (const [kind, token] of [
      ["public", PUBLIC_KEY],
      ["preview", PREVIEW_KEY],
    ] as const) {
      await keepProjectKey(fresh.store, PROJECT, kind, hash("sha256", token, "buffer"));
    }
    return lab;
  }

  async create(
    { kind, id, fields, isShown }: Windowed,
    window: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const { page_id, ...own } = fields;
    const query = new URLSearchParams({ [`${kind}_id`]: id });
    if (page_id !== undefined) query.set("page_id", String(page_id));
    const visibility = isShown ? "VISIBILITY_PUBLISHED" : "VISIBILITY_UNLISTED";
    const resource = { project_id: PROJECT, visibility, ...own, ...window };
    await this.#write("POST", `${KINDS[kind][1]}?${query}`, resource);
    this.#visible.add(`${kind} ${id}`);
  }

  /** Hides a resource, or shows it. */
  async show({ kind, id, isShown }: Windowed, isOpen: boolean): Promise<void> {
    const key = `${kind} ${id}`;
    if (this.#visible.has(key) === isOpen) return;
    this.#visible[isOpen ? "add" : "delete"](key);
    const visibility = `VISIBILITY_${isOpen ? (isShown ? "PUBLISHED" : "UNLISTED") : "HIDDEN"}`;
    const name = kind === "page_component" ? "page_component_update" : kind;
    const update = { [name]: { visibility }, update_mask: "visibility" };
    await this.#write("PATCH", `${KINDS[kind][1]}/${id}`, update);
  }

  /** Reads as the public does, or in a preview of a time. */
  async read({ procedure, message, list }: Read, time?: number): Promise<unknown> {
    const headers =
      time === undefined
        ? {}
        : { "x-preview-time": new Date(time).toISOString(), "x-preview-audience": "public" };
    const token = time === undefined ? PUBLIC_KEY : PREVIEW_KEY;
    const items: unknown[] = [];
    let pageToken = "";
    do {
      const body = { ...message, ...(pageToken && { pageToken }) };
      const url = `${this.#server?.studioUrl}/${getUrl(`svc.cda.${procedure}`, body)}`;
      const got = await send("GET", url, { token, headers });
      if (got.status !== 200) return [got.status, reasonOf(got), got.json?.message];
      if (list === undefined) return withoutTimes(got.json);
      items.push(...(got.json[list] ?? []).map(withoutTimes), got.json.total);
      pageToken = got.json.nextPageToken ?? "";
    } while (pageToken !== "");
    return items.filter((item) => item !== undefined);
  }

  async close(): Promise<void> {
    await this.#server?.close(1_000);
    await this.#fresh.close();
  }

  async #write(method: string, path: string, body: unknown): Promise<void> {
    const got = await send(method, `${this.#server?.studioUrl}/${path}`, {
      token: this.#token,
      body,
    });
    if (got.status !== 200) throw new Error(`${method} ${path}: ${got.text}`);
  }
}

const WORDS = ["red", "blue", "final"];
const idOf = (kind: Kind, number: number) => `${kind}-${number}`;
const idsOf = (kind: Kind) => Array.from({ length: KINDS[kind][0] }, (_, it) => idOf(kind, it));

function createResources(random: Random): Windowed[] {
  const edge = () => (chance(random, 40) ? random.below(HOURS) : undefined);
  return (Object.keys(KINDS) as Kind[]).flatMap((kind) =>
    idsOf(kind).map((id, number): Windowed => {
      const from = edge();
      const length = 1 + random.below(HOURS / 2);
      const until = chance(random, 50) ? (from ?? random.below(HOURS)) + length : undefined;
      const fields = createFields(kind, number, random);
      return { kind, id, fields, isShown: chance(random, 85), from, until };
    }),
  );
}

function createFields(kind: Kind, number: number, random: Random): Record<string, unknown> {
  const title = { en: `${pick(random, WORDS)} ${number % 7}` };
  switch (kind) {
    case "event":
    case "creative_work":
    case "entity":
      return { title, content_type: pick(random, WORDS), fields: { score: random.below(5) } };
    case "offer":
      return { name: "x", position: random.below(4) };
    case "banner_collection":
      return { name: "x" };
    case "page":
      return { slug: `slug-${number}` };
    case "page_component": {
      const page_id = idOf("page", random.below(KINDS.page[0]));
      const banners = { id: idOf("banner_collection", random.below(4)) };
      const rail = {
        type: "BASE_TYPE_EVENT",
        filter: `content_type: ${pick(random, WORDS)}`,
        ...(chance(random, 50) && { pinned: [idOf("event", number), idOf("event", number + 9)] }),
      };
      return pick<Record<string, unknown>>(random, [
        { page_id, type: "text", text: { body: "x" } },
        { page_id, type: "banner_collection_v2", banner_collection_v2: banners },
        { page_id, type: "rail", rail },
        { page_id, type: "offers", offers: { offer: [{ offer_id: idOf("offer", number % 6) }] } },
      ]);
    }
    default:
      return kind satisfies never;
  }
}

function toWindow({ from, until }: Windowed, start: number): Record<string, unknown> {
  if (from === undefined && until === undefined) return {};
  const toTime = (hours: number) => new Date(start + hours * HOUR).toISOString();
  return {
    availability: {
      ...(from !== undefined && { start_time: toTime(from) }),
      ...(until !== undefined && { end_time: toTime(until) }),
    },
  };
}

function isWithin({ from = -Infinity, until = Infinity }: Windowed, time: number, start: number) {
  const hours = (time - start) / HOUR;
  return from <= hours && hours < until;
}

/** Returns a time at a start or an end, a millisecond before it, or in between. */
function createTime(random: Random, start: number): number {
  const time = start + (1 + random.below(HOURS + HOURS / 2)) * HOUR;
  return time + pick(random, [0, 0, -1, random.below(HOUR)]);
}

function createRead(random: Random): Read {
  const pageSize = pick(random, [5, 9, 100, 100]);
  const id = (kind: Kind) => ({ id: pick(random, idsOf(kind)) });
  const filters = ["", "content_type: red", "fields.score >= 2", "not title.en: *1 or red"];
  const orders = ["", "title.en asc", "fields.score desc, id asc", "id desc", "create_time asc"];
  const list = {
    ...{ pageSize, filter: pick(random, filters), order: pick(random, orders) },
    ...{ search: pick(random, ["", "", "red", "fin"]), includeTotal: chance(random, 30) },
  };
  const included = { includeItems: true, itemsPageSize: 5 };
  return pick<Read>(random, [
    { procedure: "cms.event.v1.EventService/ListEvents", message: list, list: "events" },
    { procedure: "cms.event.v1.EventService/ListEvents", message: list, list: "events" },
    {
      procedure: "cms.creative_work.v1.CreativeWorkService/ListCreativeWorks",
      message: list,
      list: "creativeWorks",
    },
    { procedure: "cms.event.v1.EventService/GetEvent", message: id("event") },
    { procedure: "cms.entity.v1.EntityService/GetEntity", message: id("entity") },
    { procedure: "ott.page.v1.PageService/GetPage", message: { ...id("page"), ...included } },
    { procedure: "ott.page.v1.PageService/GetPage", message: { ...id("page"), ...included } },
    { procedure: "ott.page.v1.PageService/ListPages", message: { pageSize }, list: "pages" },
    {
      procedure: "ott.page_component.v2.PageComponentService/GetPageComponent",
      message: { ...id("page_component"), ...included },
    },
    {
      procedure: "monetization.offer.v1.OfferService/ListOffers",
      message: { pageSize },
      list: "offers",
    },
    {
      procedure: "ott.banner_collection.v2.BannerCollectionService/GetBannerCollection",
      message: id("banner_collection"),
    },
  ]);
}

/** Returns JSON without windows, times of writes, and tokens. */
function withoutTimes(json: unknown): unknown {
  const text = JSON.stringify(json, (key, value) =>
    /^(availability|createTime|updateTime|visibility|itemsNextPageToken)$/.test(key)
      ? undefined
      : value,
  );
  return JSON.parse(text);
}
