import { type DescField, type DescMessage, type DescMethod, getOption } from "@bufbuild/protobuf";
import type { Random } from "../../demo/data/random.ts";
import { FieldBehavior, field_behavior } from "../../gen/google/api/field_behavior_pb.ts";
import { KIND_NAMES, KINDS, type KindName } from "../../src/domain/kinds.ts";
import type { HttpResponse } from "../../test/harness/http.ts";
import { DRAFTED, type Tenant } from "./tenants.ts";
import { chance, pick } from "./values.ts";

/** A message in protobuf JSON with lowerCamelCase names. */
export type Json = Record<string, unknown>;

/** Calls a method of studio as the tenant's owner, over Connect in JSON. */
export type Call = (method: DescMethod, message: Json) => Promise<HttpResponse>;

/** The resources that a tenant has, as studio shows them, by kind. */
export type Resources = Map<KindName, Json[]>;

/** The most resources of a kind that requests are made from. */
const MOST_OF_A_KIND = 12;

/** The values that a message needs besides resources and ids. */
const GIVEN: Readonly<Record<string, unknown>> = {
  audiences: ["fuzz"],
  configuration: { "action-00-red": { a: 1 } },
  conditions: [{ confidenceThreshold: 0.5, sourceTypes: { types: ["SOURCE_TYPE_MANUAL"] } }],
  permissions: ["cms.events.get", "iam.roles.update"],
  resourceKey: "project-1-red/project-1-red/project",
  visibility: "VISIBILITY_UNLISTED",
  viewer: {
    ipAddress: "192.0.2.1",
    countryCode: "DE",
    referrer: "https://a.example/",
    userId: "u",
  },
  time: "2026-06-11T18:00:00Z",
  pageSize: 3,
  records: [
    { event: { id: "fuzz-event", title: { en: "Fuzz" }, fields: { score: 1 } } },
    { event: { id: "action-00-red", fields: { score: 2 } }, fieldsMask: "fields.score" },
    { page: { id: "fuzz-page", slug: "fuzz-page" } },
  ],
  mode: "WRITE_MODE_EACH",
  staffSignIn: { sessionDuration: "3600s" },
  itemKey: `event:${DRAFTED}`,
};

/** Finds the kind whose resources a message type describes. */
export function kindOf(schema: DescMessage | undefined): KindName | undefined {
  return KIND_NAMES.find((name) => KINDS[name].schema.typeName === schema?.typeName);
}

/** Makes valid requests of studio's methods from the resources that a tenant has. */
export class ValidRequests {
  readonly resources: Resources = new Map();
  readonly #tenant: Tenant;
  readonly #random: Random;
  /** The page whose components the requests are of. */
  readonly #page: string;
  /** The release that is open. */
  readonly #release: string;
  #count = 0;

  constructor(tenant: Tenant, random: Random) {
    this.#tenant = tenant;
    this.#random = random;
    this.#page = `page-00${tenant.suffix}`;
    this.#release = `release-00${tenant.suffix}`;
  }

  /** Reads what there is of every kind, by the methods that list it; creates what no import brings. */
  async read(methods: readonly DescMethod[], call: Call): Promise<void> {
    const { projectId, organizationId } = this.#tenant;
    const named = (name: string) => {
      const method = methods.find((it) => it.name === name);
      if (method === undefined) throw new Error(`there is no ${name}`);
      return method;
    };
    const webhook = { projectId, name: this.#tenant.canary, url: "https://site.example/hook" };
    await call(named("CreateWebhook"), { webhook });
    const lists = methods.filter(
      (it) => it.input.field.pageToken && kindOf(it.output.fields[0]?.message),
    );
    const parents: Json = {
      projectId,
      organizationId,
      accountId: this.#tenant.accountId,
      pageId: this.#page,
    };
    for (const method of lists) {
      const own = method.input.fields.filter((it) => it.localName in parents);
      const message = Object.fromEntries(
        own.map(({ localName }) => [localName, parents[localName]]),
      );
      const got = await call(method, { ...message, pageSize: 1_000 });
      if (got.status !== 200) throw new Error(`${method.name}: ${got.text}`);
      const [field] = method.output.fields;
      for (const it of got.json[field?.jsonName ?? ""] ?? []) this.keep(kindOf(field?.message), it);
    }
    // A run of an action, which only an annotation brings.
    const [annotation] = this.#pool("annotation");
    await call(named("CreateAnnotation"), {
      annotation: toInput(KINDS.annotation.schema, annotation ?? {}),
    });
    const runs = await call(named("ListActionRuns"), { projectId });
    for (const it of runs.json.actionRuns ?? []) this.keep("action_run", it);
  }

  /** Remembers a resource that a response shows. */
  keep(kind: KindName | undefined, resource: Json): void {
    if (kind === undefined) return;
    const pool = this.#pool(kind);
    const index = pool.findIndex((it) => it.id === resource.id);
    if (index >= 0) pool[index] = resource;
    else if (pool.length < MOST_OF_A_KIND || kind === "page_component") pool.push(resource);
    else pool[this.#random.below(pool.length)] = resource;
  }

  /** Forgets a resource that is deleted. */
  forget(kind: KindName | undefined, id: unknown): void {
    if (kind === undefined) return;
    this.resources.set(
      kind,
      this.#pool(kind).filter((it) => it.id !== id),
    );
  }

  /** Makes a request of a method that succeeds, or undefined where nothing is left that it could name. */
  create(method: DescMethod): Json | undefined {
    const message: Json = {};
    const noun = method.name.replace(/^[A-Z][a-z]+/, "");
    for (const field of method.input.fields) {
      // Another name of `page_component_update`, which excludes it.
      if (method.name === "UpdatePageComponent" && field.name === "page_component") continue;
      const value = this.#toValue(method, field, noun);
      if (value !== undefined) message[field.localName] = value;
      else if (isRequired(field)) return undefined;
    }
    const resource = method.input.fields.find(({ message: it }) => kindOf(it) !== undefined);
    if (resource?.message === undefined) return message;
    const sent = message[resource.localName] as Json;
    this.#settle(method, sent);
    if (message.updateMask !== undefined)
      message.updateMask = this.#pickMask(resource.message, sent);
    return message;
  }

  /** Gives a resource what no copy of another one can have. */
  #settle({ name }: DescMethod, sent: Json): void {
    const offer = this.#pick("offer");
    switch (name) {
      case "CreatePage":
      case "UpdatePage":
        sent.slug = `fuzz/${this.#next()}`;
        break;
      case "CreateEntitlement":
        Object.assign(sent, {
          offerId: offer?.id,
          userId: "user",
          endTime: "2030-01-01T00:00:00Z",
        });
        break;
      case "CreateTransaction": {
        const [price] = (offer?.prices ?? []) as Json[];
        for (const field of Object.keys(sent)) if (field !== "projectId") delete sent[field];
        Object.assign(sent, { offerId: offer?.id, offerPriceId: price?.id, userId: "user" });
        break;
      }
    }
  }

  /** Picks fields that an update may set, of a oneof the member that is sent. */
  #pickMask(schema: DescMessage, sent: Json): string {
    const names = schema.fields
      .filter((it) => isMaskable(it) && (it.oneof === undefined || sent[it.jsonName] !== undefined))
      .map(({ jsonName }) => jsonName);
    const wanted = new Set(
      Array.from({ length: 1 + this.#random.below(3) }, () => pick(this.#random, names)),
    );
    // The type of a component names the member that is set.
    const data = names.find((it) => it === toCamel(String(sent.type)));
    if (data !== undefined && (wanted.has("type") || wanted.has(data)))
      wanted.add("type").add(data);
    return [...wanted].join(",");
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }

  #pool(kind: KindName): Json[] {
    const pool = this.resources.get(kind) ?? [];
    this.resources.set(kind, pool);
    return pool;
  }

  #pick(kind: KindName): Json | undefined {
    const pool = this.#pool(kind);
    return pool.length === 0 ? undefined : pick(this.#random, pool);
  }

  #toValue(method: DescMethod, field: DescField, noun: string): unknown {
    const { localName: name } = field;
    const isCreate = method.name.startsWith("Create");
    const kind = kindOf(field.message);
    if (kind !== undefined) {
      const resource = this.#pick(kind);
      return resource && toInput(KINDS[kind].schema, resource);
    }
    if (field.message?.typeName === "google.protobuf.FieldMask") {
      return method.name === "UpdateStaffSignIn" ? "sessionDuration" : "name";
    }
    if (name === "validateOnly") return chance(this.#random, 15) ? true : undefined;
    if (name === "force") return chance(this.#random, 50) ? true : undefined;
    if (isCreate && name === `${noun.slice(0, 1).toLowerCase()}${noun.slice(1)}Id`) {
      return chance(this.#random, 70) ? `fuzz-${this.#next()}` : undefined;
    }
    if (name === "projectId") return this.#tenant.projectId;
    if (name === "organizationId") return this.#tenant.organizationId;
    if (name === "pageComponentIds") {
      const ids = this.#pool("page_component").map(({ id }) => id);
      return method.name === "ReorderPageComponents" ? ids : ids.slice(0, 3);
    }
    if (name === "releaseId" && (!isRequired(field) || method.name === "DeleteReleaseItem")) {
      return isRequired(field) || chance(this.#random, 25) ? this.#release : undefined;
    }
    if (name === "pageId" && method.name !== "DeletePage") return this.#page;
    const target = KIND_NAMES.find((it) => `${toCamel(it)}Id` === name);
    if (target !== undefined) {
      const ids = this.#pool(target).map(({ id }) => id);
      // The page of the other requests stays.
      const free = method.name === "DeletePage" ? ids.filter((id) => id !== this.#page) : ids;
      return free.length === 0 ? undefined : pick(this.#random, free);
    }
    // Records together fail with one whose event was deleted.
    const isOptional = !isRequired(field) && name !== "conditions" && name !== "mode";
    return isOptional && chance(this.#random, 60) ? undefined : GIVEN[name];
  }
}

/** Leaves out of a resource, at every depth, what only the service sets. */
function toInput(schema: DescMessage, resource: Json): Json {
  const entries = schema.fields.flatMap((field): [string, unknown][] => {
    const value = resource[field.jsonName];
    const behaviors = getOption(field, field_behavior);
    if (value === undefined || behaviors.includes(FieldBehavior.OUTPUT_ONLY)) return [];
    const { message } = field;
    if (message === undefined || message.typeName.startsWith("google."))
      return [[field.jsonName, value]];
    const visit = (it: unknown) => toInput(message, it as Json);
    if (field.fieldKind === "list") return [[field.jsonName, (value as unknown[]).map(visit)]];
    if (field.fieldKind !== "map") return [[field.jsonName, visit(value)]];
    const values = Object.entries(value as Json).map(([key, it]) => [key, visit(it)]);
    return [[field.jsonName, Object.fromEntries(values)]];
  });
  return Object.fromEntries(entries);
}

function isRequired(field: DescField): boolean {
  return getOption(field, field_behavior).includes(FieldBehavior.REQUIRED);
}

function isMaskable(field: DescField): boolean {
  const behaviors = getOption(field, field_behavior);
  const isFixed = [FieldBehavior.OUTPUT_ONLY, FieldBehavior.IMMUTABLE].some((it) =>
    behaviors.includes(it),
  );
  return !isFixed && field.name !== "quotas";
}

export function toCamel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
