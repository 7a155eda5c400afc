import {
  type DescMessage,
  type DescMethod,
  equals,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  ScalarType,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { type Kysely, type RawBuilder, sql } from "kysely";
import { createRandom, type Random } from "../../demo/data/random.ts";
import type { Schema } from "../../gen/tables.ts";
import { DomainError } from "../../src/domain/base/errors.ts";
import { KINDS } from "../../src/domain/kinds.ts";
import type { DatabaseLocation } from "../../src/storage/open.ts";
import type { ExportOptions } from "../../src/transfer/export-file.ts";
import {
  findMethods,
  type ProtocolRequest,
  procedureOf,
  toProtocolRequests,
} from "../../test/api/methods.ts";
import { connectHeaders } from "../../test/harness/calls.ts";
import { listTables, openDatabase } from "../../test/harness/database.ts";
import { listUnderived } from "../../test/harness/derived-rows.ts";
import type { FreshStore, OpenFresh } from "../../test/harness/fresh-store.ts";
import { type HttpResponse, reasonOf, send } from "../../test/harness/http.ts";
import { startOver } from "../../test/harness/marquee.ts";
import { exportText, importText, WITH_RELEASES } from "../../test/transfer/transfer.ts";
import { findError } from "./judge.ts";
import { mutate } from "./mutations.ts";
import { createTenants, type Tenant } from "./tenants.ts";
import { type Json, kindOf, ValidRequests } from "./valid-requests.ts";
import { chance, pick } from "./values.ts";

/** How much is tried. */
export interface StudioFuzzing {
  readonly openFresh: OpenFresh;
  /** The requests that have to pass the checks of fields. */
  readonly wanted: number;
  readonly seed: number;
  /** Called with each error as soon as it is found. */
  readonly onError?: (error: string) => void;
}

/** The results of a run. */
export interface StudioFuzzed {
  readonly sent: number;
  /** Requests that passed the checks of fields: they succeeded, or failed because of stored data. */
  readonly passed: number;
  /** Passed requests by method. */
  readonly methods: ReadonlyMap<string, number>;
  readonly statuses: ReadonlyMap<string, number>;
  /** The most CPU that this process spent on one request, in milliseconds, with the client's part. */
  readonly longestCpu: number;
  readonly errors: readonly string[];
}

/** The requests that one database takes: it stays small, and what is deleted comes back. */
const ROUND = 400;
/** FAILED_PRECONDITION, ABORTED, ALREADY_EXISTS and RESOURCE_EXHAUSTED: what is stored forbids it. */
const PAST_CHECKS = [9, 10, 6, 8];
/** What may end the tenant: these are only tried. */
const LIFELINES = [
  "DeleteAccount",
  "DeleteBinding",
  "DeleteOrganization",
  "DeleteProject",
  "RevokeAccessToken",
];

/** Reads of delivery that take in most kinds of resources. */
const DELIVERY_READS: readonly { readonly procedure: string; readonly message: object }[] = [
  {
    procedure: "svc.cda.ott.page.v1.PageService/GetPage",
    message: { id: "page-00SUFFIX", parameters: { id: "event-00SUFFIX" }, includeItems: true },
  },
  { procedure: "svc.cda.cms.event.v1.EventService/ListEvents", message: { search: "a" } },
  {
    procedure: "svc.cda.cms.entity.v1.EntityService/ListEntities",
    message: { order: "title.en desc" },
  },
  { procedure: "svc.cda.monetization.offer.v1.OfferService/ListOffers", message: {} },
  {
    procedure: "svc.cda.annotations.annotation.v1.AnnotationService/ListAnnotations",
    message: { eventId: "event-00SUFFIX" },
  },
  {
    procedure: "svc.cda.streaming.playback.v1.PlaybackService/AuthorizePlayback",
    message: { videoId: "video-00SUFFIX" },
  },
];

const METHODS = (await findMethods()).filter((it) => it.parent.typeName.startsWith("svc.studio."));

/** Methods as often as they have ways to go wrong: what creates and updates has the most fields. */
const TRIED = METHODS.flatMap((it) => Array(/^(Create|Update)/.test(it.name) ? 4 : 1).fill(it));

/**
 * Sends mutations of valid requests of every method of the Studio API until enough of them passed the checks of fields.
 * Finds what should never happen: an undeclared error, a byte of another organization, too much CPU, or a failed write
 * that changed something. Also a response that does not read back, and protocols that differ.
 */
export async function fuzzStudio(options: StudioFuzzing): Promise<StudioFuzzed> {
  const random = createRandom(options.seed);
  const total = { sent: 0, passed: 0, longestCpu: 0 };
  const methods = new Map(METHODS.map(({ name }) => [name, 0]));
  const statuses = new Map<string, number>();
  const errors: string[] = [];
  while (total.passed < options.wanted) {
    const round = await Round.open(options.openFresh, random);
    try {
      for (let index = 0; index < ROUND && total.passed < options.wanted; index += 1) {
        const method = pick(random, TRIED);
        const tried = await round.try(method);
        if (tried === undefined) continue;
        total.sent += 1;
        const key = `${tried.got.status} ${tried.got.status === 200 ? "" : reasonOf(tried.got)}`;
        statuses.set(key, (statuses.get(key) ?? 0) + 1);
        total.longestCpu = Math.max(total.longestCpu, tried.cpu);
        if (tried.hasPassed) {
          total.passed += 1;
          methods.set(method.name, (methods.get(method.name) ?? 0) + 1);
        }
        for (const error of tried.errors) {
          const text = `${error}\n  ${method.name} ${JSON.stringify(tried.message).slice(0, 1_500)}\n  ${tried.got.text.slice(0, 1_000)}`;
          errors.push(text);
          options.onError?.(text);
        }
      }
      for (const error of await round.copy()) {
        errors.push(error);
        options.onError?.(error);
      }
    } finally {
      await round.close();
    }
  }
  return { ...total, methods, statuses, errors };
}

/** Sends a valid request of every method, and lists the ones that the checks of fields reject. */
export async function tryValid(openFresh: OpenFresh): Promise<readonly string[]> {
  const round = await Round.open(openFresh, createRandom(1));
  try {
    const rejected: string[] = [];
    for (const method of METHODS) {
      const tried = await round.try(method, { isValid: true });
      if (!tried?.hasPassed) rejected.push(`${method.name}: ${tried?.got.text ?? "no request"}`);
      rejected.push(...(tried?.errors ?? []));
    }
    return rejected;
  } finally {
    await round.close();
  }
}

interface Tried {
  readonly message: Json;
  readonly got: HttpResponse;
  readonly cpu: number;
  readonly hasPassed: boolean;
  readonly errors: readonly string[];
}

/** A service over a database of its own with two tenants; one sends requests. */
class Round {
  readonly #url: string;
  readonly #db: Kysely<Schema>;
  readonly #stateQuery: RawBuilder<unknown>;
  readonly #tenants: readonly [Tenant, Tenant];
  readonly #requests: ValidRequests;
  readonly #random: Random;
  readonly #openFresh: OpenFresh;
  readonly #fresh: FreshStore;
  readonly #close: () => Promise<void>;
  /** The ETags of the latest writes. */
  readonly #tags: string[] = [];

  private constructor(parts: {
    readonly url: string;
    readonly db: Kysely<Schema>;
    readonly stateQuery: RawBuilder<unknown>;
    readonly tenants: readonly [Tenant, Tenant];
    readonly random: Random;
    readonly openFresh: OpenFresh;
    readonly fresh: FreshStore;
    readonly close: () => Promise<void>;
  }) {
    this.#url = parts.url;
    this.#db = parts.db;
    this.#stateQuery = parts.stateQuery;
    this.#tenants = parts.tenants;
    this.#random = parts.random;
    this.#openFresh = parts.openFresh;
    this.#fresh = parts.fresh;
    this.#close = parts.close;
    this.#requests = new ValidRequests(parts.tenants[0], parts.random);
  }

  static async open(openFresh: OpenFresh, random: Random): Promise<Round> {
    const fresh = await openFresh();
    const tenants = await createTenants(fresh.store);
    const server = await startOver(fresh.store, { runsActions: false });
    const db = openDatabase(fresh.address);
    const stateQuery = await createStateQuery(db, fresh.address);
    const round = new Round({
      ...{ url: server.studioUrl, db, stateQuery, tenants, random, openFresh, fresh },
      async close() {
        await server.close(1_000);
        await db.destroy();
        await fresh.close();
      },
    });
    await round.#requests.read(METHODS, (method, message) => round.#connect(method, message));
    return round;
  }

  close(): Promise<void> {
    return this.#close();
  }

  /** Exports the tenant's project with its releases, imports it elsewhere, and finds where the copy differs. */
  async copy(): Promise<string[]> {
    const [{ projectId }] = this.#tenants;
    const underived = await listUnderived(this.#fresh.address);
    if (underived.length > 0) return [`stored without a document: ${underived.join("; ")}`];
    const text = await this.#export(WITH_RELEASES);
    const target = await this.#openFresh();
    try {
      await importText(target.store, text);
      const copied = await exportText(target.store, projectId, WITH_RELEASES);
      return copied === text
        ? []
        : [`the copy of the project differs: ${difference(text, copied)}`];
    } catch (thrown) {
      // References that a forced deletion leaves are dangling, and an import rejects them.
      if (thrown instanceof DomainError && DANGLING.includes(thrown.reason)) return [];
      return [`what was exported cannot be imported: ${thrown}`];
    } finally {
      await target.close();
    }
  }

  /** Sends a mutation of a valid request, and checks its response. */
  async try(method: DescMethod, { isValid = false } = {}): Promise<Tried | undefined> {
    const [tenant, other] = this.#tenants;
    const valid = this.#requests.create(method);
    if (valid === undefined) return undefined;
    // Later methods name what a valid deletion, or an undo, would remove.
    const isLifeline =
      LIFELINES.includes(method.name) || (isValid && /^(Apply|Delete|Revert)/.test(method.name));
    if (isLifeline) valid.validateOnly = true;
    const source = { random: this.#random, tenant, other, tokens: [], room: { left: 4_000 } };
    const message = isValid ? valid : mutate(method.input, valid, source);
    const isRead = method.idempotency === 1;
    if (!isValid && method.input.field.requestId && chance(this.#random, 15)) {
      message.requestId = `request-${this.#random.below(20)}`;
    }
    if (!isValid && method.input.field.releaseId && chance(this.#random, 10)) {
      message.releaseId = pick(this.#random, this.#releaseIds);
    }
    const isDraft = findRelease(method, message) !== undefined;
    const headers = isValid ? {} : this.#pickHeaders();
    const before = isRead ? "" : await this.#readState();
    const exported = isDraft && !isRead ? await this.#export() : "";
    const protocol = pick(this.#random, listProtocols(method, message));
    const usage = process.cpuUsage();
    const got = await this.#send(protocol, headers);
    const { user, system } = process.cpuUsage(usage);
    const cpu = (user + system) / 1_000;
    const errors: string[] = [];
    const text = `${[...got.headers].join("\n")}\n${got.text}`;
    // The CPU time counts, because the machine may be busy.
    const error = findError({ sender: "red" }, { status: got.status, text }, cpu, this.#tenants);
    if (error !== undefined) errors.push(error);
    if (got.status >= 400 && !/^[A-Z][A-Z_]+$/.test(reasonOf(got) ?? ""))
      errors.push("an error without a reason");
    const tag = got.headers.get("etag");
    if (tag !== null) this.#tags.splice(0, this.#tags.length < 10 ? 0 : 1, tag);
    const hasChanged = got.status === 200 && !isRead && message.validateOnly !== true;
    const after = isRead || hasChanged ? before : await this.#readState();
    if (after !== before) {
      const what = got.status === 200 ? "dry run" : "failed write";
      errors.push(`a ${what} changed something: ${difference(before, after)}`);
    }
    if (got.status === 200 && !isValid) {
      if (exported !== "" && exported !== (await this.#export())) {
        errors.push("a draft changed the current version");
      }
      if (isRead) errors.push(...(await this.#compareProtocols(method, message)));
      else if (hasChanged) {
        errors.push(...(await this.#readBack(method, message, protocol.protocol, got)));
        errors.push(...(await this.#readDelivery()));
        const again = message.requestId === undefined ? got : await this.#send(protocol, headers);
        if (again.text !== got.text) errors.push(`its repetition is ${again.status} ${again.text}`);
      }
    }
    return {
      ...{ message, got, cpu, errors },
      hasPassed: got.status === 200 || PAST_CHECKS.includes(codeOf(got)),
    };
  }

  #export(options?: ExportOptions): Promise<string> {
    return exportText(this.#fresh.store, this.#tenants[0].projectId, options);
  }

  /** The releases of both tenants, and a missing one. */
  get #releaseIds(): readonly string[] {
    return [...this.#tenants.flatMap(({ knownIds }) => knownIds.get("release") ?? []), "missing"];
  }

  /** Picks conditions and organizations, mostly none. */
  #pickHeaders(): Record<string, string> {
    const [tenant, other] = this.#tenants;
    const own = this.#tags.length === 0 ? '"x"' : pick(this.#random, this.#tags);
    const tags = [own, own, "*", `W/${own}`, `"a", ${own}`, own.slice(1), "", '"'];
    const organization = pick(this.#random, [other.organizationId, tenant.organizationId, "x"]);
    return {
      ...(chance(this.#random, 12) && { "if-match": pick(this.#random, tags) }),
      ...(chance(this.#random, 3) && { "x-organization-id": organization }),
    };
  }

  /** Reads what was written as sites do: the Delivery API must return all that the Studio API accepts. */
  async #readDelivery(): Promise<string[]> {
    const [tenant, other] = this.#tenants;
    const read = pick(this.#random, DELIVERY_READS);
    const key = chance(this.#random, 70) ? tenant.previewKey : tenant.publicKey;
    const release = chance(this.#random, 50) && {
      "x-release-id": pick(this.#random, this.#releaseIds),
    };
    const got = await send("POST", `${this.#url}/${read.procedure}`, {
      headers: { ...connectHeaders(key), ...release },
      body: JSON.parse(JSON.stringify(read.message).replaceAll("SUFFIX", tenant.suffix)),
    });
    const error = findError({ sender: "red" }, got, 0, [tenant, other]);
    return error === undefined ? [] : [`${read.procedure}: ${error} ${got.text}`];
  }

  #send({ method, path, headers, body }: ProtocolRequest, more = {}): Promise<HttpResponse> {
    return send(method, this.#url + path.replace(/[^!-~]/gu, encodeURIComponent), {
      token: this.#tenants[0].accessToken,
      headers: { ...headers, ...more },
      ...(body !== undefined && { body }),
    });
  }

  #connect(method: DescMethod, message: Json): Promise<HttpResponse> {
    return send("POST", `${this.#url}/${procedureOf(method)}`, {
      headers: connectHeaders(this.#tenants[0].accessToken),
      body: message,
    });
  }

  /** Reads over every protocol, and finds differences. */
  async #compareProtocols(method: DescMethod, message: Json): Promise<string[]> {
    const errors: string[] = [];
    const schema = method.output;
    const shown: [protocol: string, text: string][] = [];
    for (const protocol of listProtocols(method, message)) {
      const got = await this.#send(protocol);
      shown.push([
        protocol.protocol,
        got.status === 200 ? canonical(schema, got.json) : `${got.status} ${got.text}`,
      ]);
    }
    const binary = await this.#readBinary(method, message);
    if (binary !== undefined) shown.push(["Connect binary", binary]);
    for (const [protocol, text] of shown) {
      if (text !== shown[0]?.[1] && !isCutShort(shown[0]?.[1] ?? "", text)) {
        errors.push(
          `${shown[0]?.[0]} and ${protocol} differ: ${difference(shown[0]?.[1] ?? "", text)}`,
        );
      }
    }
    return errors;
  }

  async #readBinary(method: DescMethod, message: Json): Promise<string | undefined> {
    let body: Uint8Array;
    try {
      body = toBinary(method.input, fromJson(method.input, message as JsonValue, DEEP));
    } catch {
      return undefined;
    }
    const response = await fetch(`${this.#url}/${procedureOf(method)}`, {
      method: "POST",
      headers: connectHeaders(this.#tenants[0].accessToken, "application/proto"),
      body,
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (response.status !== 200) return `${response.status} ${Buffer.from(bytes)}`;
    return toJsonString(method.output, fromBinary(method.output, bytes, DEEP));
  }

  /** Reads the response of a write back, by Get over every protocol and by List, and finds differences. */
  async #readBack(
    method: DescMethod,
    sent: Json,
    protocol: string,
    got: HttpResponse,
  ): Promise<string[]> {
    const [field] = method.output.fields;
    const kind = kindOf(field?.message);
    const releaseId = findRelease(method, sent);
    if (field?.message === undefined || kind === undefined) {
      const deleted = kindOf(
        METHODS.find((it) => it.name === method.name.replace("Delete", "Get"))?.output.fields[0]
          ?.message,
      );
      if (method.name.startsWith("Delete") && releaseId === undefined)
        this.#requests.forget(deleted, Object.values(sent)[0]);
      return [];
    }
    const schema = KINDS[kind].schema;
    const name = protocol === "REST" ? field.name : field.jsonName;
    const written = canonical(schema, got.json[name]);
    const id = String(
      got.json[name]?.id ?? got.json[name]?.projectId ?? got.json[name]?.project_id ?? "",
    );
    const read = METHODS.find(
      (it) =>
        /^Get/.test(it.name) &&
        it.output.fields[0]?.message === schema &&
        it.parent === method.parent,
    );
    if (read === undefined) return [];
    const [idField] = read.input.fields;
    const request = { [idField?.localName ?? ""]: id, ...(releaseId && { releaseId }) };
    const errors = chance(this.#random, 30) ? await this.#compareProtocols(read, request) : [];
    const shown = await this.#connect(read, request);
    if (shown.status !== 200) return [...errors, `it does not read back: ${shown.text}`];
    const current = canonical(schema, shown.json[field.jsonName]);
    if (current !== written)
      errors.push(`it reads back otherwise: ${difference(written, current)}`);
    const [etag, currentTag] = [got.headers.get("etag"), shown.headers.get("etag")];
    if (etag !== null && etag !== currentTag) errors.push(`its tag is ${etag}, then ${currentTag}`);
    // A list shows the current version.
    if (releaseId !== undefined) return errors;
    this.#requests.keep(kind, shown.json[field.jsonName]);
    const list = METHODS.find(
      (it) =>
        /^List/.test(it.name) &&
        it.output.fields[0]?.message === schema &&
        it.parent === method.parent,
    );
    const resource = shown.json[field.jsonName];
    const parents = list?.input.fields.filter((it) => /Id$/.test(it.localName)) ?? [];
    if (list?.input.field.filter === undefined) return errors;
    const listed = await this.#connect(list, {
      ...Object.fromEntries(
        parents.map(({ localName }) => [
          localName,
          resource[localName] ?? shown.json[localName] ?? "",
        ]),
      ),
      ...(list.name === "ListTransactions" ? {} : { filter: `id: ${JSON.stringify(id)}` }),
      pageSize: 1_000,
    });
    const items: Json[] = listed.json?.[list.output.fields[0]?.jsonName ?? ""] ?? [];
    const item = items.find((it) => it.id === resource.id);
    if (item === undefined) errors.push(`its list does not have it: ${listed.text.slice(0, 300)}`);
    else if (canonical(schema, item as JsonObject) !== current)
      errors.push(
        `its list has it otherwise: ${difference(current, canonical(schema, item as JsonObject))}`,
      );
    return errors;
  }

  /** Reads the state of the database, to find commits: on SQLite a number, on PostgreSQL a hash of every table. */
  async #readState(): Promise<string> {
    const { rows } = await this.#stateQuery.execute(this.#db);
    return JSON.stringify(rows);
  }
}

/** Returns the release that a request reads through or writes into; undefined if there is none. */
function findRelease(method: DescMethod, { releaseId }: Json): string | undefined {
  const isOfRelease = method.parent.name === "ReleaseService";
  return isOfRelease || typeof releaseId !== "string" || releaseId === "" ? undefined : releaseId;
}

/**
 * Lists the requests of the protocols that can express a message: a URL has only strings, and no unpaired surrogates.
 */
function listProtocols(method: DescMethod, message: Json): ProtocolRequest[] {
  const isInUrl = Object.entries(message).every(([name, value]) => {
    const isText = method.input.field[name]?.scalar === ScalarType.STRING;
    if (isText) return typeof value === "string" && value !== "";
    if (Array.isArray(value)) return value.length > 0;
    return value !== null && value !== "" && typeof value !== "object";
  });
  const isWellFormed = !/\\ud[89a-f]/.test(JSON.stringify(message));
  if (!isWellFormed || (method.idempotency === 1 && !isInUrl)) {
    return toProtocolRequests(method, {})
      .filter(({ protocol }) => protocol === "Connect POST")
      .map((protocol) => ({ ...protocol, body: message }));
  }
  return toProtocolRequests(method, message);
}

/** Reports whether one list is the beginning of the other: where time runs out, a list ends early with a token. */
function isCutShort(left: string, right: string): boolean {
  if (!left.startsWith("{") || !right.startsWith("{")) return false;
  const [short = {}, long = {}]: Json[] = [JSON.parse(left), JSON.parse(right)].sort(
    (a, b) => JSON.stringify(a).length - JSON.stringify(b).length,
  );
  const itemsOf = (list: Json) => Object.values(list).find(Array.isArray) ?? [];
  const items = itemsOf(short);
  const begin = itemsOf(long).slice(0, items.length);
  const tokens = [short, long].filter(({ nextPageToken }) => nextPageToken !== undefined);
  return tokens.length > 0 && JSON.stringify(items) === JSON.stringify(begin);
}

const DANGLING = ["ACTION_NOT_FOUND", "REFERENCE_NOT_FOUND"];

/** Tables whose rows come and go by themselves. */
const PASSING = /lease|rate_count|schema_migration/;

async function createStateQuery(db: Kysely<Schema>, { engine }: DatabaseLocation) {
  if (engine === "sqlite") return sql`pragma data_version`;
  const tables = (await listTables(db)).filter(({ name }) => !PASSING.test(name));
  const hashes = tables.map(
    ({ name }) =>
      sql`(select sum(hashtextextended(t::text, 0)) from ${sql.table(name)} t) as ${sql.id(name)}`,
  );
  return sql`select ${sql.join(hashes)}`;
}

/** Reads the deepest JSON that studio takes: 100 levels of a value, which count twice, below the message. */
const DEEP = { recursionLimit: 1_000 };

/** Writes JSON of either protocol as its message. */
function canonical(schema: DescMessage, json: JsonValue): string {
  const message = fromJson(schema, json ?? {}, DEEP);
  if (!equals(schema, message, fromBinary(schema, toBinary(schema, message), DEEP)))
    return "no message";
  return toJsonString(schema, message);
}

/** Shows where two texts part. */
function difference(before: string, after: string): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const from = Math.max(0, at - 80);
  return `…${before.slice(from, at + 120)}… and …${after.slice(from, at + 120)}…`;
}

function codeOf({ status, json }: HttpResponse): number {
  if (status === 200) return 0;
  return typeof json?.code === "number" ? json.code : NAMES.indexOf(json?.code);
}

const NAMES = [
  ...[
    "ok",
    "canceled",
    "unknown",
    "invalid_argument",
    "deadline_exceeded",
    "not_found",
    "already_exists",
  ],
  ...["permission_denied", "resource_exhausted", "failed_precondition", "aborted", "out_of_range"],
  ...["unimplemented", "internal", "unavailable", "data_loss", "unauthenticated"],
];
