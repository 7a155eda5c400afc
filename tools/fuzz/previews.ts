import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { issueDemoCredentials } from "../../demo/credentials.ts";
import { createRandom, type Random } from "../../demo/data/random.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { getUrl } from "../../test/harness/calls.ts";
import type { OpenFresh } from "../../test/harness/fresh-store.ts";
import { type HttpResponse, reasonOf, send } from "../../test/harness/http.ts";
import { startOver } from "../../test/harness/marquee.ts";
import { keepProjectKey } from "../../test/storage/project-key.ts";
import { chance, pick } from "./values.ts";

/** How many reads are compared. */
export interface PreviewFuzzing {
  readonly openFresh: OpenFresh;
  /** The reads through releases. */
  readonly cases: number;
  readonly seed: number;
  /** Called with each error as soon as it is found. */
  readonly onError?: (error: string) => void;
}

/** The results of a run. */
export interface PreviewsFuzzed {
  readonly cases: number;
  /** The releases that were applied, and those that were rejected, such as for a slug that is taken. */
  readonly applied: number;
  readonly rejected: number;
  readonly errors: readonly string[];
}

const PROJECT = "lab";
const PUBLIC_KEY = "mqp_preview-fuzz-public";
const PREVIEW_KEY = "mqv_preview-fuzz-preview";
/** How often a page that ends early is read. */
const MOST_ATTEMPTS = 5;
/** The reads of each release. */
const READS = 10;

/**
 * Compares reads of random projects through random releases, as the public sees them, with the same reads by a public
 * key once the releases are applied one after the other. Times, ETags and page tokens may differ.
 */
export async function fuzzPreviews({
  openFresh,
  cases,
  seed,
  onError = () => {},
}: PreviewFuzzing): Promise<PreviewsFuzzed> {
  const fresh = await openFresh("demo");
  const { accounts } = await issueDemoCredentials(fresh.store, undefined, new Date());
  const server = await startOver(fresh.store);
  const lab = new Lab(server.studioUrl, accounts.owner, createRandom(seed));
  const errors: string[] = [];
  let [read, applied, rejected] = [0, 0, 0];
  try {
    await lab.open(fresh.store);
    while (read < cases) {
      const releases = await lab.draft();
      const reads = Array.from({ length: Math.min(READS, cases - read) }, () => lab.createRead());
      const previewed = [];
      for (const it of reads) previewed.push(await lab.read(it, releases));
      if (!(await lab.apply(releases))) {
        rejected += 1;
        continue;
      }
      applied += 1;
      for (const [index, it] of reads.entries()) {
        read += 1;
        const want = await lab.read(it, undefined);
        if (isDeepStrictEqual(previewed[index], want)) continue;
        const [got, wanted] = [previewed[index], want].map((part) => JSON.stringify(part));
        const error = `seed ${seed}, read ${read}: ${JSON.stringify(it)} through ${releases}\n  got  ${got}\n  want ${wanted}`;
        errors.push(error);
        onError(error);
      }
    }
  } finally {
    await server.close(1_000);
    await fresh.close();
  }
  return { cases: read, applied, rejected, errors };
}

/** A read of the Delivery API; a list is read to its end. */
interface Read {
  readonly procedure: string;
  readonly message: Readonly<Record<string, unknown>>;
  /** The field of a list. */
  readonly list?: string;
}

const WORDS = ["red", "blue", "final", "cup", "Derby", "live"];
const VISIBILITIES = ["PUBLISHED", "PUBLISHED", "PUBLISHED", "UNLISTED", "HIDDEN"];
const CONTENT = {
  event: { path: "cms/events/v1", service: "cms.event.v1.EventService", list: "events" },
  creative_work: {
    path: "cms/creative_works/v1",
    service: "cms.creative_work.v1.CreativeWorkService",
    list: "creativeWorks",
  },
  entity: { path: "cms/entities/v1", service: "cms.entity.v1.EntityService", list: "entities" },
} as const;
const CONTENT_KINDS = ["event", "creative_work", "entity"] as const;
/** The ids of each kind, a few, so that drafts often meet. */
const COUNTS = {
  event: 14,
  creative_work: 6,
  entity: 6,
  page: 4,
  page_component: 14,
  offer: 5,
  banner_collection: 4,
};
type Kind = keyof typeof COUNTS;

/** How often resources of each kind are changed. */
const CHANGED = (Object.keys(COUNTS) as Kind[]).map((kind) => ({ kind, weight: COUNTS[kind] }));

/** A project whose resources, drafts and reads are random. */
class Lab {
  readonly #url: string;
  readonly #token: string;
  readonly #random: Random;
  #releases = 0;

  /** `token` is the access token of an owner of the demo's organization. */
  constructor(url: string, token: string, random: Random) {
    this.#url = url;
    this.#token = token;
    this.#random = random;
  }

  /** Creates the project and its keys, and fills it. */
  async open(store: Store): Promise<void> {
    await this.#write("POST", `iam/projects/v1?project_id=${PROJECT}`, {
      ...{ organization_id: "org-worldcup", name: "Lab" },
    });
    for (const [kind, token] of [
      ["public", PUBLIC_KEY],
      ["preview", PREVIEW_KEY],
    ] as const) {
      await keepProjectKey(store, PROJECT, kind, hash("sha256", token, "buffer"));
    }
    for (const kind of Object.keys(COUNTS) as Kind[]) {
      for (let index = 0; index < COUNTS[kind]; index += 1) await this.#put(kind, "", index);
    }
  }

  /** Writes random drafts into one release or two, and changes the current version; returns the releases. */
  async draft(): Promise<readonly string[]> {
    const ids = Array.from({ length: 1 + this.#random.below(2) }, () => {
      this.#releases += 1;
      return `r${this.#releases}`;
    });
    for (const id of ids) {
      await this.#write("POST", `cms/releases/v1?release_id=${id}`, {
        ...{ project_id: PROJECT, name: id, conflict_policy: "CONFLICT_POLICY_RELEASE_WINS" },
      });
    }
    for (let left = 3 + this.#random.below(18); left > 0; left -= 1) {
      await this.#change(chance(this.#random, 30) ? "" : pick(this.#random, ids));
      // Later reads merge only what has changed since.
      if (chance(this.#random, 30)) await this.read(this.createRead(), ids);
    }
    return ids;
  }

  /** Applies releases in their order; false if one is rejected. */
  async apply(releases: readonly string[]): Promise<boolean> {
    for (const id of releases) {
      const got = await this.#write("POST", `cms/releases/v1/${id}:apply`, {});
      if (got.status !== 200) {
        if (got.status >= 500) throw new Error(got.text);
        return false;
      }
    }
    return true;
  }

  createRead(): Read {
    const random = this.#random;
    const kind = pick(random, CONTENT_KINDS);
    const { service, list } = CONTENT[kind];
    const pageSize = pick(random, [1, 2, 3, 5, 100]);
    const page = { id: this.#idOf("page"), includeItems: true, itemsPageSize: pageSize };
    if (chance(random, 40)) {
      return {
        procedure: `${service}/List${METHODS[kind]}`,
        message: {
          pageSize,
          ...(chance(random, 60) && { filter: this.#createFilter() }),
          ...(chance(random, 30) && { search: pick(random, WORDS).slice(0, 3) }),
          ...(chance(random, 80) && { order: this.#createOrder(kind) }),
        },
        list,
      };
    }
    return pick<() => Read>(random, [
      () => ({ procedure: `${service}/Get${SINGULAR[kind]}`, message: { id: this.#idOf(kind) } }),
      () => ({ procedure: "ott.page.v1.PageService/GetPage", message: page }),
      () => ({
        procedure: "ott.page.v1.PageService/GetPage",
        message: { slug: this.#createSlug(), includeItems: true },
      }),
      () => ({
        procedure: "ott.page.v1.PageService/ListPages",
        message: { pageSize },
        list: "pages",
      }),
      () => ({
        procedure: "monetization.offer.v1.OfferService/ListOffers",
        message: { pageSize },
        list: "offers",
      }),
      () => ({
        procedure: "ott.page_component.v2.PageComponentService/GetPageComponent",
        message: { id: this.#idOf("page_component"), includeItems: true },
      }),
      () => ({
        procedure: "ott.page_component.v2.PageComponentService/ListPageComponentItems",
        message: { id: this.#idOf("page_component"), pageSize },
        list: "items",
      }),
      () => ({
        procedure: "ott.banner_collection.v2.BannerCollectionService/GetBannerCollection",
        message: { id: this.#idOf("banner_collection") },
      }),
    ])();
  }

  /** Reads through releases as the public sees them, or without releases by a public key; a list page by page. */
  async read({ procedure, message, list }: Read, releases: readonly string[] | undefined) {
    const pages: unknown[] = [];
    let pageToken = "";
    let attempts = 0;
    do {
      const body = { ...message, ...(pageToken && { pageToken }) };
      const got = await send(
        "GET",
        `${this.#url}/${getUrl(`svc.cda.${procedure}`, body)}`,
        releases === undefined
          ? { token: PUBLIC_KEY }
          : {
              token: PREVIEW_KEY,
              headers: { "x-release-id": releases.join(), "x-preview-audience": "public" },
            },
      );
      if (got.status >= 500)
        throw new Error(`${procedure} ${JSON.stringify(message)}: ${got.text}`);
      if (got.status !== 200) return [...pages, got.status, reasonOf(got), got.json?.message];
      const next = list === undefined ? "" : (got.json.nextPageToken ?? "");
      const isShort =
        list !== undefined && (got.json[list] ?? []).length < Number(message.pageSize);
      // A page may end early on a machine that is busy for half a second.
      attempts = isShort && next !== "" ? attempts + 1 : 0;
      if (attempts > 0 && attempts < MOST_ATTEMPTS) continue;
      pageToken = next;
      pages.push(withoutTimes(got.json));
    } while ((pageToken !== "" || attempts > 0) && pages.length < 100);
    return pages;
  }

  /** Changes, creates, deletes or orders something random in a release, or live. It may be rejected. */
  async #change(release: string): Promise<void> {
    const random = this.#random;
    const kind = random.weighted(CHANGED).kind;
    const id = this.#idOf(kind);
    const query = release === "" ? "" : `release_id=${release}`;
    if (chance(random, kind === "page" ? 5 : 20)) {
      const force = kind === "page_component" ? "" : "force=true&";
      await this.#write("DELETE", `${PATHS[kind]}/${id}?${force}${query}`);
    } else if (kind === "page_component" && chance(random, 30)) {
      await this.#reorder(this.#idOf("page"), release);
    } else {
      await this.#put(kind, release, Number(id.slice(1)));
    }
  }

  async #reorder(id: string, release: string): Promise<void> {
    const procedure = "svc.cda.ott.page.v1.PageService/GetPage";
    const headers = release === "" ? {} : { "x-release-id": release };
    const got = await send("GET", `${this.#url}/${getUrl(procedure, { id })}`, {
      ...{ token: PREVIEW_KEY, headers },
    });
    const { components = [], dropped = [] } = got.json;
    const ids: readonly string[] = [
      ...components.map((it: { component: { id: string } }) => it.component.id),
      ...dropped.map((it: { componentId: string }) => it.componentId),
    ];
    await this.#write("POST", `ott/pages/v1/${id}:reorderComponents`, {
      ...{ page_component_ids: shuffle(this.#random, ids), release_id: release },
    });
  }

  /** Updates a resource, or creates it. */
  async #put(kind: Kind, release: string, index: number): Promise<void> {
    const id = `${PREFIXES[kind]}${index}`;
    const fields = this.#createFields(kind, index);
    const masked = chance(this.#random, 50)
      ? Object.fromEntries(Object.entries(fields).filter(() => chance(this.#random, 50)))
      : fields;
    const update = { [UPDATED[kind]]: masked, update_mask: Object.keys(masked).join() };
    const got = await this.#write("PATCH", `${PATHS[kind]}/${id}`, {
      ...update,
      release_id: release,
    });
    if (got.status !== 404) return;
    const query = new URLSearchParams({ [`${kind}_id`]: id });
    if (release !== "") query.set("release_id", release);
    if (kind === "page_component") {
      query.set("page_id", this.#idOf("page"));
      if (chance(this.#random, 50)) query.set("position", `${this.#random.below(3)}`);
    }
    await this.#write("POST", `${PATHS[kind]}?${query}`, { project_id: PROJECT, ...fields });
  }

  #createFields(kind: Kind, index: number): Record<string, unknown> {
    const random = this.#random;
    const visibility = `VISIBILITY_${pick(random, VISIBILITIES)}`;
    const words = () => `${pick(random, WORDS)} ${pick(random, WORDS)}`;
    const time = new Date(Date.UTC(2026, 0, 1 + random.below(20))).toISOString();
    const title = { en: words(), ...(chance(random, 50) && { de: words() }) };
    const fields = {
      score: random.below(4),
      ...(chance(random, 60) && { tags: [pick(random, WORDS), pick(random, WORDS)] }),
      ...(chance(random, 30) && { nested: { mixed: pick(random, [true, 2, "two", time]) } }),
    };
    switch (kind) {
      case "event":
        return {
          ...{ visibility, title, fields, content_type: pick(random, WORDS) },
          ...(chance(random, 80) && { start_time: time }),
          ...(chance(random, 50) && { entity_ids: [this.#idOf("entity")] }),
        };
      case "creative_work":
        return { visibility, title, fields, ...(chance(random, 80) && { release_time: time }) };
      case "entity":
        return { visibility, title, fields };
      case "page":
        return { visibility, slug: this.#createSlug(), title };
      case "offer":
        return { visibility, name: words(), title, position: random.below(4) };
      case "banner_collection":
        return { visibility, name: words() };
      case "page_component":
        return { visibility, name: words(), ...this.#createMember(index) };
      default:
        return kind satisfies never;
    }
  }

  /** Creates the data of a component; its type seldom changes. */
  #createMember(index: number): object {
    const random = this.#random;
    const type = chance(random, 15) ? random.below(4) : index % 4;
    if (type === 0) return { type: "text", text: { body: pick(random, WORDS) } };
    if (type === 1) {
      const id = this.#idOf("banner_collection");
      return { type: "banner_collection_v2", banner_collection_v2: { id } };
    }
    const kind = pick(random, CONTENT_KINDS);
    const rail = {
      type: `BASE_TYPE_${kind.toUpperCase()}`,
      ...(chance(random, 60) && { filter: this.#createFilter() }),
      ...(chance(random, 40) && { order: this.#createOrder(kind) }),
      ...(chance(random, 30) && { pinned: [this.#idOf(kind), this.#idOf(kind)] }),
      ...(chance(random, 50) && { limit: 1 + random.below(5) }),
    };
    return { type: "rail", rail };
  }

  #createFilter(): string {
    const random = this.#random;
    const clause = () =>
      pick(random, [
        () => `fields.score >= ${random.below(4)}`,
        () => `fields.tags: ${pick(random, WORDS)}`,
        () => `title.en: *${pick(random, WORDS).slice(1, 3)}*`,
        () => `title.*: "${pick(random, WORDS)} ${pick(random, WORDS)}"`,
        () => `entity_ids: ${this.#idOf("entity")}`,
        () => "fields.nested: *",
        () => `start_time < "2026-01-${String(2 + random.below(18)).padStart(2, "0")}"`,
        () => `id: (${this.#idOf("event")} or ${this.#idOf("event")})`,
        () => pick(random, WORDS),
      ])();
    const negated = () => (chance(random, 25) ? `not ${clause()}` : clause());
    return Array.from({ length: 1 + random.below(3) }, negated).join(
      chance(random, 50) ? " and " : " or ",
    );
  }

  #createOrder(kind: (typeof CONTENT_KINDS)[number]): string {
    const random = this.#random;
    const direction = () => pick(random, ["asc", "desc"]);
    const time = { event: ["start_time"], creative_work: ["release_time"], entity: [] }[kind];
    const known = `${pick(random, [...time, "create_time", "id", "title.en", "title.de"])} ${direction()}`;
    if (chance(random, 50)) return known;
    const own = pick(random, ["fields.score", "fields.tags", "fields.nested.mixed"]);
    return `${own} ${direction()}${chance(random, 50) ? `, ${known}` : ""}`;
  }

  #createSlug(): string {
    return `slug-${this.#random.below(COUNTS.page + 2)}`;
  }

  #idOf(kind: Kind): string {
    return `${PREFIXES[kind]}${this.#random.below(COUNTS[kind] + 1)}`;
  }

  async #write(method: string, path: string, body?: unknown): Promise<HttpResponse> {
    return send(method, `${this.#url}/${path}`, { token: this.#token, body });
  }
}

const METHODS = { event: "Events", creative_work: "CreativeWorks", entity: "Entities" };
const SINGULAR = { event: "Event", creative_work: "CreativeWork", entity: "Entity" };
const PREFIXES: Readonly<Record<Kind, string>> = {
  ...{ event: "e", creative_work: "w", entity: "t", page: "p", page_component: "c" },
  ...{ offer: "o", banner_collection: "b" },
};
const PATHS: Readonly<Record<Kind, string>> = {
  event: CONTENT.event.path,
  creative_work: CONTENT.creative_work.path,
  entity: CONTENT.entity.path,
  page: "ott/pages/v1",
  page_component: "ott/page_components/v2",
  offer: "monetization/offers/v1",
  banner_collection: "ott/banner_collections/v2",
};
/** The name of the resource in the body of an update. */
const UPDATED: Readonly<Record<Kind, string>> = {
  ...{ event: "event", creative_work: "creative_work", entity: "entity", page: "page" },
  ...{ page_component: "page_component_update", offer: "offer" },
  banner_collection: "banner_collection",
};

/** Removes what may differ between a preview and the current version. */
function withoutTimes(value: unknown): unknown {
  const text = JSON.stringify(value, (key, it) =>
    /^(updateTime|nextPageToken|itemsNextPageToken)$/.test(key) ? undefined : it,
  );
  return JSON.parse(text);
}

function shuffle<T>(random: Random, items: readonly T[]): T[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(random.below(rest.length), 1));
}
