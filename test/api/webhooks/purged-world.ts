import { randomUUID } from "node:crypto";
import type { Random } from "../../../demo/data/random.ts";
import { RunSlots } from "../../../src/domain/actions/run-slots.ts";
import { getUrl } from "../../harness/calls.ts";
import { type HttpResponse, send } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { COLLECTIONS } from "../collections.ts";
import { callRest } from "../studio.ts";

/** The project whose responses are purged. */
export const PROJECT = "purged";

const project_id = PROJECT;
const IDS = {
  event: ["e0", "e1", "e2", "e3", "e4", "e5"],
  creative_work: ["w0", "w1", "w2", "w3"],
  offer: ["o0", "o1"],
  banner_collection: ["b0", "b1"],
  page: ["p0", "p1", "p2", "p3"],
  page_component: ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"],
} as const;
type Kind = keyof typeof IDS;
type Content = "event" | "creative_work";

const KINDS = Object.keys(IDS) as Kind[];

const TYPES = ["match", "match", "match", "show", "live show", "", "x".repeat(120)];
const ENTITIES = [
  ...[[], ["t1"], ["t2"], ["t1", "t2"], ["t3"]],
  ["t1", ...Array.from({ length: 25 }, (_, index) => `many-${index}`)],
];
const VISIBILITIES = [
  ...["VISIBILITY_PUBLISHED", "VISIBILITY_PUBLISHED", "VISIBILITY_PUBLISHED"],
  ...["VISIBILITY_UNLISTED", "VISIBILITY_HIDDEN"],
];

/** Filters that require one type, a few, any, or none that exists. */
const FILTERS = [
  "",
  "content_type: match",
  "content_type: match and fields.score > 1",
  "(content_type: match or content_type: show) and fields.score: *",
  'content_type: (match or "live show")',
  "content_type: match or fields.score: 1",
  "not content_type: match",
  "content_type: m*",
  'content_type: "" or content_type: match',
  `content_type: ${"x".repeat(120)}`,
  "fields.score >= 2",
  "content_type: match and content_type: show",
  "entity_ids: t1 and content_type: match",
  "entity_ids: (t1 or t2)",
];

/** A cached response: its text, and the keys that purge it. */
export interface Cached {
  readonly name: string;
  readonly status: number;
  readonly text: string;
  readonly keys: readonly string[];
}

/** A project with content and pages that is written at random. */
export class PurgedWorld {
  readonly #marquee: Marquee;
  readonly #random: Random;
  readonly #key: string;

  private constructor(marquee: Marquee, random: Random, key: string) {
    this.#marquee = marquee;
    this.#random = random;
    this.#key = key;
  }

  static async create(marquee: Marquee, random: Random): Promise<PurgedWorld> {
    const call = async (path: string, body: object) => {
      const { status, json } = await callRest(marquee, "POST", path, body);
      if (status !== 200) throw new Error(`${path}: ${JSON.stringify(json)}`);
      return json;
    };
    const organization_id = "org-worldcup";
    await call(`iam/projects/v1?project_id=${PROJECT}`, { organization_id, name: "P" });
    const kind = "PROJECT_KEY_KIND_PUBLIC";
    const { key } = await call("iam/project_keys/v1", { project_id, name: "K", kind });
    const url = "https://hooks.example.com/purge";
    await call("cms/webhooks/v1", { project_id, name: "purge", url });
    const world = new PurgedWorld(marquee, random, key);
    for (const kind of KINDS) {
      for (const id of IDS[kind]) await world.#writeOne(kind, id);
    }
    return world;
  }

  /** Reads everything that a public key can read. `earlier` are the responses before a write. */
  readAll(earlier: readonly Cached[] = []): Promise<readonly Cached[]> {
    const reads = Array.from(listReads(), async ([procedure, message], index) => {
      let [last, next] = [earlier[index], await this.#read(procedure, message)];
      // A stall of the machine cuts lists short: a response that differs must be the same twice.
      while (last !== undefined && next.text !== last.text) {
        [last, next] = [next, await this.#read(procedure, message)];
      }
      return next;
    });
    return Promise.all(reads);
  }

  async #read(procedure: string, message: object): Promise<Cached> {
    const name = `${procedure} ${JSON.stringify(message)}`;
    const url = `${this.#marquee.url}/svc.cda.${getUrl(procedure, message)}`;
    const { status, text, headers } = await send("GET", url, { token: this.#key });
    const keys = (headers.get("surrogate-key") ?? "").split(" ");
    return { name, status, text, keys };
  }

  /** Returns the keys that webhooks have announced since the last call. */
  async takeKeys(): Promise<readonly string[]> {
    const keys: string[] = [];
    for (;;) {
      const now = new Date();
      const leaseEnd = new Date(now.getTime() + 3_600_000);
      const claim = { lease: randomUUID(), now, leaseEnd, limit: 20, slots: new RunSlots() };
      const { runs } = await this.#marquee.store.actionRuns.take(claim);
      if (runs.length === 0) return keys;
      for (const { payload } of runs) {
        if (payload.kind === "webhook") keys.push(...JSON.parse(payload.body).data.surrogate_keys);
      }
    }
  }

  /** Makes one random write, which may be rejected; returns a description. */
  async write(): Promise<string> {
    const random = this.#random;
    switch (random.below(20)) {
      case 0:
        return this.#writeRecords(random.below(5) === 0 ? 60 : 1 + random.below(3));
      case 1:
        return this.#applyRelease();
      case 2:
        return this.#revert();
      case 3:
        return this.#reorder();
      case 4:
        return this.#writeOne(this.#pick(["offer", "banner_collection"]));
      case 5:
      case 6:
        return this.#writeOne("page");
      default:
        return this.#writeOne(this.#pick(["event", "creative_work", "page_component"]));
    }
  }

  async #writeOne(kind: Kind, id: string = this.#pick(IDS[kind]), query = ""): Promise<string> {
    const path = `${COLLECTIONS[kind]}/${id}`;
    const about = `${kind} ${id}`;
    const exists = (await this.#call("GET", path)).status === 200;
    if (exists && query === "" && this.#random.below(5) === 0) {
      await this.#call("DELETE", kind === "page_component" ? path : `${path}?force=true`);
      return `delete ${about}`;
    }
    if (exists) {
      const { project_id: _, ...fields } = this.#fieldsOf(kind);
      const names = Object.keys(fields);
      // The data of a component goes with its type, behind the other fields.
      const changed = kind === "page_component" ? names.slice(-2) : [this.#pick(names)];
      const update = Object.fromEntries(changed.map((name) => [name, fields[name]]));
      const field = kind === "page_component" ? "page_component_update" : kind;
      await this.#call("PATCH", `${path}${query}`, {
        [field]: update,
        update_mask: changed.join(),
      });
      return `update ${about} ${JSON.stringify(update)}${query}`;
    }
    const page = kind === "page_component" ? `&page_id=${this.#pick(IDS.page)}` : "";
    const more = query === "" ? "" : `&${query.slice(1)}`;
    const fields = this.#fieldsOf(kind);
    await this.#call("POST", `${COLLECTIONS[kind]}?${kind}_id=${id}${page}${more}`, fields);
    return `create ${about} ${JSON.stringify(fields)}${more}`;
  }

  async #writeRecords(count: number): Promise<string> {
    const kinds: readonly Kind[] = ["event", "creative_work", "page_component", "page"];
    const records = Array.from({ length: count }, (_, index) => {
      if (count > 10) return { event: { id: `many-${index}`, ...this.#fieldsOf("event") } };
      const kind = this.#pick(kinds);
      const message = { id: this.#pick(IDS[kind]), ...this.#fieldsOf(kind) };
      if (kind !== "page_component") return { [kind]: message };
      const page_id = this.#pick(IDS.page);
      return { page_component: { page_component: message, page_id } };
    });
    await this.#call("POST", "cms/records/v1:write", {
      project_id,
      records,
      mode: "WRITE_MODE_EACH",
    });
    return `records ${count > 10 ? count : JSON.stringify(records)}`;
  }

  async #applyRelease(): Promise<string> {
    const id = `r-${randomUUID()}`;
    await this.#call("POST", `cms/releases/v1?release_id=${id}`, { project_id, name: "R" });
    const drafts: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      drafts.push(await this.#writeOne(this.#pick(KINDS), undefined, `?release_id=${id}`));
    }
    await this.#call("POST", `cms/releases/v1/${id}:apply`, {});
    return `release of ${drafts.join(", ")}`;
  }

  async #revert(): Promise<string> {
    const path = `cms/changes/v1?project_id=${PROJECT}&page_size=5`;
    const { json } = await this.#call("GET", path);
    const { id, method } = this.#pick<{ id: string; method: string }>(json.changes);
    // Reverting these would end the project, its key or its webhook.
    if (/Create(Project|ProjectKey|Webhook)$/.test(method)) return "nothing";
    await this.#call("POST", `cms/changes/v1/${id}:revert`, {});
    return `revert ${method}`;
  }

  async #reorder(): Promise<string> {
    const id = this.#pick(IDS.page);
    const path = `ott/page_components/v2?page_id=${id}`;
    const { page_components = [] } = (await this.#call("GET", path)).json;
    const page_component_ids = page_components.map((it: { id: string }) => it.id).reverse();
    await this.#call("POST", `ott/pages/v1/${id}:reorderComponents`, { page_component_ids });
    return `reorder ${id}`;
  }

  #fieldsOf(kind: Kind): Record<string, unknown> {
    const visibility = this.#pick(VISIBILITIES);
    const title = { en: this.#pick(["Goal", "Final", "Talk"]) };
    switch (kind) {
      case "event":
      case "creative_work": {
        const content_type = this.#pick(TYPES);
        const fields = { score: this.#random.below(4) };
        const entity_ids = this.#pick(ENTITIES);
        return { project_id, title, fields, content_type, entity_ids, visibility };
      }
      case "page": {
        const slug = this.#pick(IDS.page);
        const object = this.#pick(["PAGE_OBJECT_UNSPECIFIED", "PAGE_OBJECT_EVENT"]);
        return { project_id, title, slug, object, parameters: ["id"], visibility };
      }
      case "page_component":
        return { project_id, name: "C", visibility, ...this.#componentData() };
      default:
        return { project_id, name: title.en, visibility };
    }
  }

  #componentData(): Record<string, unknown> {
    const kind: Content = this.#pick(["event", "creative_work"]);
    const filter = this.#pick(FILTERS);
    const pinned =
      this.#random.below(2) === 0 ? [] : [this.#pick(IDS[kind]), this.#pick(IDS[kind])];
    const type = `BASE_TYPE_${kind.toUpperCase()}`;
    const rail = { type, filter, pinned, limit: this.#random.below(4) };
    switch (this.#random.below(8)) {
      case 0:
        return { type: "calendar_v2", calendar_v2: { filter } };
      case 1:
        return { type: "event_player", event_player: { id: this.#pick(IDS.event) } };
      case 2: {
        const reference = { page_component_id: this.#pick(IDS.page_component) };
        return { type: "content_grid", content_grid: { reference } };
      }
      case 3:
        return { type: "content_grid", content_grid: { inline: rail } };
      case 4: {
        const offer = [{ offer_id: this.#pick(IDS.offer) }];
        return { type: "offers", offers: { offer } };
      }
      case 5:
        return {
          ...{ type: "banner_collection_v2" },
          banner_collection_v2: { id: this.#pick(IDS.banner_collection) },
        };
      default:
        return { type: "rail", rail };
    }
  }

  #pick<T>(items: readonly T[]): T {
    const item = items[this.#random.below(items.length)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  }

  #call(method: string, path: string, body?: object): Promise<HttpResponse> {
    return callRest(this.#marquee, method, path, body);
  }
}

function* listReads(): Generator<readonly [procedure: string, message: object]> {
  const includeItems = true;
  for (const slug of IDS.page) {
    yield ["ott.page.v1.PageService/GetPage", { slug, includeItems }];
    yield ["ott.page.v1.PageService/GetPage", { slug, parameters: { id: "e1" } }];
  }
  yield ["ott.page.v1.PageService/ListPages", {}];
  for (const id of IDS.page_component) {
    const service = "ott.page_component.v2.PageComponentService";
    yield [`${service}/GetPageComponent`, { id, includeItems }];
    yield [`${service}/ListPageComponentItems`, { id, pageSize: 2, includeTotal: true }];
  }
  const services = ["cms.event.v1.EventService", "cms.creative_work.v1.CreativeWorkService"];
  const names = ["Event", "CreativeWork"];
  for (const [index, service] of services.entries()) {
    const facets = ["content_type", "fields.score"];
    for (const filter of index === 0 ? FILTERS : FILTERS.slice(0, 3)) {
      yield [`${service}/List${names[index]}s`, { filter, pageSize: 2 }];
      yield [`${service}/List${names[index]}s`, { filter, search: "goal", facets }];
    }
    for (const id of index === 0 ? IDS.event : IDS.creative_work) {
      yield [`${service}/Get${names[index]}`, { id }];
    }
  }
  yield ["monetization.offer.v1.OfferService/ListOffers", {}];
  for (const id of IDS.banner_collection) {
    yield ["ott.banner_collection.v2.BannerCollectionService/GetBannerCollection", { id }];
  }
}
