import { type DescMessage, type DescMethod, getOption, type JsonObject } from "@bufbuild/protobuf";
import { sql } from "kysely";

import { afterAll, beforeAll, expect, test } from "vitest";
import { access } from "../../gen/svc/options/v1/access_pb.ts";
import { ConflictPolicy } from "../../gen/svc/type/v1/release_pb.ts";
import { isWritable } from "../../src/api/studio/record-writer.ts";
import { OPERATING } from "../../src/domain/access/roles.ts";
import { MAX_WEBHOOKS } from "../../src/domain/actions/webhook.ts";
import { isKindName, KIND_NAMES, kindOf } from "../../src/domain/kinds.ts";
import {
  isRecordKind,
  pathOf,
  RECORD_KINDS,
  type RecordKind,
} from "../../src/domain/records/record.ts";
import { connectHeaders } from "../harness/calls.ts";
import { openDatabase } from "../harness/database.ts";
import { ENGINE } from "../harness/engine.ts";
import { HeapWatch } from "../harness/heap.ts";
import { type HttpResponse, metadataOf, reasonOf, send } from "../harness/http.ts";
import { readCpuTimeOf } from "../harness/process-usage.ts";
import { MACHINE, measureMachine, watchTurns } from "../harness/turns.ts";
import { useLimitedTime } from "../harness/unlimited-time.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { toHostileFilter } from "./hostile-filter.ts";
import { callIam, iamMaker, ok } from "./iam/iam.ts";
import { sampleOf } from "./method-samples.ts";
import { findMethods, type JsonMessage, procedureOf } from "./methods.ts";
import { DEMO, ReleaseCalls } from "./releases/releases.ts";
import { resourceBodies } from "./resource-bodies.ts";
import { flat, widen } from "./widest-messages.ts";

// Every method is called with all its limits together: the longest filter, the widest and the deepest documents, the
// longest mask, the most items, over content, releases and history that are stored for its worst case, by an account with
// the least role that may call it. The CPU time, here and in the server of the database, the longest turn, the memory, the response and what
// is stored are bounded by the sizes of the request and of what it names.

const marquee = await useMarquee();
useLimitedTime();
const calls = new ReleaseCalls(marquee);
const iam = callIam(marquee);
const make = iamMaker(iam);

const METHODS = (await findMethods()).filter((method) => {
  // A test of a provider needs one: its own tests bound it.
  return method.methodKind === "unary" && isMeasured(method) && method.name !== "TestStaffSignIn";
});

/** The measure of a machine of 2025, in milliseconds. */
const MACHINE_2025 = 3.3;

/** Limits of CPU time, in milliseconds of a machine of 2025. */
const MOST_CPU = {
  call: 200,
  /** For a KiB of the request: a quarter of what a self-service customer may cost. */
  bodyKib: 5,
  /** For a KiB of the response, which a page has up to 4 MiB of. */
  responseKib: 0.2,
  /** For a KiB of the drafts that a call merges. */
  mergedKib: 0.25,
  /** For a KiB of the drafts that a call writes as well: it makes their index entries. */
  appliedKib: 0.6,
  /** Of any turn. */
  turn: 100,
};

/** The time of the lists of a request, in milliseconds by the clock (contract: limits 6). */
const LISTS_TIME = 500;

/** The most bytes of a response: a page, and one item more. */
const MOST_RESPONSE = 6 * 1024 * 1024;

const MOST_MEMORY = 64 * 1024 * 1024;

/** Values of a document; the limit is 5,000. */
const VALUES = 4_800;

const KEY = "k".repeat(250);

/** The largest documents by their shape; `salt` makes each value another. */
const SHAPES = {
  wide: (salt: number) => ({ [KEY]: { [KEY]: { [KEY]: { [KEY]: flat(VALUES, salt) } } } }),
  deep: (salt: number) => {
    let inner: JsonObject = flat(VALUES - 28 * 100, salt);
    for (let level = 0; level < 27; level += 1) inner = { ...flat(100, salt), z: inner };
    return inner;
  },
  list: (salt: number) => ({ q0: Array.from({ length: VALUES }, (_, it) => it + salt) }),
} as const;

/** The events with such documents; a body of 20,000 values may write them all. */
const EVENTS = (["wide", "deep", "list"] as const).map((shape, index) => ({
  id: `hostile-${shape}-${index}`,
  shape,
}));
const [WIDE, DEEP] = EVENTS.map(({ id }) => id);
const RELEASE = "hostile";
/** A release with the same drafts, which win over the current version. */
const WINNING = "hostile-winning";

/** The id of a change of all large documents. */
let changeId = "";
/** The KiB of the drafts of the release. */
let draftKib = 0;
let db: ReturnType<typeof openDatabase>;

/** Opened after the data is stored, so that only values of calls count. */
let heap: HeapWatch;

/** The widest resources, by the service of their kind. */
const widest = new Map<string, JsonMessage>();

beforeAll(async () => {
  db = openDatabase(marquee.address);
  await calls.createRelease(RELEASE);
  await calls.createRelease(WINNING, { conflictPolicy: ConflictPolicy.RELEASE_WINS });
  const write = (salt: number) =>
    calls.call("POST", "cms/records/v1:write", {
      project_id: DEMO.projectId,
      records: EVENTS.map(({ id, shape }) => ({
        event: { id, visibility: "VISIBILITY_PUBLISHED", fields: SHAPES[shape](salt) },
      })),
    });
  await write(0);
  for (const { id, shape } of EVENTS) {
    for (const release of [RELEASE, WINNING]) {
      await calls.patchEvent(id, { fields: SHAPES[shape](10_000) }, release);
    }
  }
  // Each value is in conflict.
  await write(20_000);
  const { changes } = await calls.call("GET", "cms/changes/v1?project_id=worldcup&page_size=1");
  changeId = changes[0].id;
  const [version] = await marquee.store.releaseItems.listVersions(DEMO.organizationId, [RELEASE]);
  draftKib = (version?.bytes ?? 0) / 1024;
  const place = "page_component_id=hostile-text&page_id=page-help";
  const component = { project_id: DEMO.projectId, type: "text", text: { html: "x" } };
  await calls.call("POST", `ott/page_components/v2?${place}`, component);
  for (const method of METHODS) {
    const field = resourceOf(method);
    if (field === undefined || !method.name.startsWith("Create")) continue;
    const message = await sampleOf(marquee, method);
    const { resource: body } = resourceBodies[method.parent.typeName] ?? {};
    const resource = { ...body, ...(message[field.jsonName] as JsonMessage) };
    const isValid = async (value: JsonMessage) => {
      const body = { ...message, [field.jsonName]: value, validateOnly: true };
      return (await callAs(marquee.tokens.owner, method, body)).status === 200;
    };
    widest.set(kindTypeOf(method), await widen(field.message as DescMessage, resource, isValid));
  }
  // Last, because each write above would be announced.
  await storeFilters();
  heap = new HeapWatch(MOST_MEMORY);
}, 240_000);
afterAll(() => db.destroy());

/** Stores webhooks, but for a few that tests create, and rulesets with filters of many clauses that nothing matches. */
async function storeFilters(): Promise<void> {
  const filter = toHostileFilter();
  const inProject = { project_id: DEMO.projectId, name: "Hostile" };
  const { webhooks } = await calls.call("GET", "cms/webhooks/v1?project_id=worldcup&page_size=100");
  for (let count = webhooks.length; count < MAX_WEBHOOKS - 5; count += 1) {
    await calls.call("POST", "cms/webhooks/v1", { ...inProject, url: "https://a.example", filter });
  }
  for (let count = 0; count < MAX_WEBHOOKS; count += 1) {
    const ruleset = { ...inProject, filter: { filter_events: filter } };
    await calls.call("POST", "streaming/video_protection/v2/rulesets", ruleset);
  }
}

/** Reports whether the engine is measured with a method; every list has a statement of its own. */
function isMeasured(method: DescMethod): boolean {
  const kind = kindTypeOf(method);
  return (
    isDelivery(method) || !isKindName(kind) || isMeasuredKind(kind) || /^List/.test(method.name)
  );
}

/**
 * Reports whether the engine is measured with a kind of resources. PostgreSQL stores those of most kinds by the same
 * statements: events and components stand for them.
 */
function isMeasuredKind(kind: string): boolean {
  return ENGINE === "sqlite" || ["event", "page_component", "release"].includes(kind);
}

/** Returns the name of the kind of a method's service. */
function kindTypeOf({ parent }: DescMethod): string {
  return parent.typeName.split(".")[3] ?? "";
}

/** Returns the field of a request that is the resource of its service. */
function resourceOf(method: DescMethod) {
  const kind = kindTypeOf(method);
  if (isDelivery(method) || !isKindName(kind)) return undefined;
  return method.input.fields.find(({ message }) => message === kindOf(kind).schema);
}

/** Returns the widest resources of a request that shows what it does not store. */
function toShown({ input }: DescMethod): JsonMessage {
  const shown = input.fields.flatMap(({ jsonName, message }) => {
    const kind = KIND_NAMES.find((it) => kindOf(it).schema === message);
    return kind === undefined ? [] : [[jsonName, widest.get(kind)] as const];
  });
  return Object.fromEntries(shown);
}

const CLAUSES = Array.from({ length: 60 }, (_, it) => `not fields.q0: z${it}`).join(" and ");
const MASK = Array.from({ length: 100 }, (_, it) => `fields.q${it}`);

/** The ids of what is stored for the worst case, by the fields that name it. */
const hostileIds = (): Readonly<Record<string, string | undefined>> => ({
  ...{ eventId: WIDE, releaseId: RELEASE, changeId, itemKey: `event:${DEEP}` },
});

/** Returns the message of a method with all of its limits together; nothing is stored. */
async function messageOf(method: DescMethod): Promise<JsonMessage> {
  const sample = await sampleOf(marquee, method);
  const names = method.input.fields.map(({ jsonName }) => jsonName);
  const isContentList = isDelivery(method) && names.includes("excludeGeoblocked");
  const ids = Object.entries(hostileIds()).filter(([name]) => name in sample);
  return {
    ...sample,
    ...(names.includes("pageSize") && { pageSize: 1_000 }),
    ...toWidest(method, sample),
    ...(names.includes("records") && { records: listRecords() }),
    ...Object.fromEntries(ids),
    ...(isContentList && { filter: CLAUSES, order: "fields.q0 desc", pageSize: 100 }),
    ...(names.includes("validateOnly") && { validateOnly: true }),
  };
}

/** Returns the fields of a message that creates or updates the widest resource of its kind. */
function toWidest(method: DescMethod, sample: JsonMessage): JsonMessage {
  const field = resourceOf(method);
  const resource = widest.get(kindTypeOf(method));
  if (field === undefined || resource === undefined) return toShown(method);
  if (method.name.startsWith("Create")) return { [field.jsonName]: resource };
  if (!method.name.startsWith("Update")) return {};
  if (method.name === "UpdateEvent") {
    const fields = SHAPES.wide(30_000);
    return { event: { projectId: DEMO.projectId, fields }, updateMask: "fields" };
  }
  const changed = Object.keys(resource).filter((name) => isWide(resource[name]));
  if (changed.length === 0) return {};
  return {
    ...{ [field.jsonName]: resource, updateMask: changed.join() },
    ...("pageComponentId" in sample && { pageComponentId: "hostile-text" }),
  };
}

/** Reports whether a value was widened: no sample has so much. */
function isWide(value: unknown): boolean {
  return JSON.stringify(value).length > 2_000;
}

/** Lists records that change a hundred values each in the largest documents. */
function listRecords(): readonly JsonMessage[] {
  return EVENTS.map(({ id, shape }) => ({
    event: { id, projectId: DEMO.projectId, fields: SHAPES[shape](50_000) },
    fieldsMask: MASK.join(","),
  }));
}

/** The records of a kind that one call writes: a body has at most 20,000 values. */
const MOST_RECORDS = { count: 100, bytes: 256 * 1024, values: 18_000 };

/** Lists new records of a kind with the widest resources. */
function listRecordsOf(kind: RecordKind): readonly JsonMessage[] {
  // Only the integration of a project is not created.
  const resource = widest.get(kind) ?? { audiences: ["marquee-demo"] };
  const text = JSON.stringify(resource);
  const values = text.split(/[,:[{]/).length;
  const { count, bytes } = MOST_RECORDS;
  const most = Math.min(count, bytes / text.length, MOST_RECORDS.values / values);
  const isCreated = widest.has(kind);
  return Array.from({ length: isCreated ? Math.max(1, most) : 1 }, (_, it) => {
    const id = `wide-${kind}-${it}`;
    const ids = { ...(isCreated && { id }), ...("slug" in resource && { slug: id }) };
    const record = { ...resource, ...ids };
    const name = kind.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    const isWrapped = pathOf(kind) !== kind;
    return { [name]: isWrapped ? { [name]: record, pageId: "page-help" } : record };
  });
}

function isDelivery({ parent }: DescMethod): boolean {
  return parent.typeName.startsWith("svc.cda.");
}

function callAs(
  token: string,
  method: DescMethod,
  message: JsonMessage,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpResponse> {
  return send("POST", `${marquee.url}/${procedureOf(method)}`, {
    headers: { ...connectHeaders(token), ...headers },
    body: Buffer.from(JSON.stringify(message)),
  });
}

const LEAST = await openLeastRole();

/** Makes an account with a role of no permission that matters; returns its token and the role. */
async function openLeastRole() {
  const role = await make.role(["iam.roles.get"]);
  const account = await make.account();
  await make.binding(account, role);
  return { role, token: await make.token(account) };
}

/** The permissions of the least role that may call a method, as the denials of its calls name them. */
class LeastRole {
  readonly #permissions: Set<string>;

  constructor(method: DescMethod) {
    const { rule } = getOption(method, access);
    this.#permissions = new Set([rule.case === "permission" ? rule.value.name : "iam.roles.get"]);
    // Others are found by calls, which take long for these methods.
    if (/^(ApplyRelease|CheckRelease|RevertChange|WriteRecords)$/.test(method.name)) {
      this.#permissions.add("cms.events.update");
    }
  }

  /** Gives the role its permissions, and returns the token of its account. */
  async open(): Promise<string> {
    const permissions = [...this.#permissions];
    if (permissions.includes(OPERATING)) return marquee.tokens.owner;
    const body = { role: { permissions }, update_mask: "permissions" };
    ok(await iam(`PATCH /iam/roles/v1/${LEAST.role}`, { body }));
    return LEAST.token;
  }

  /** Adds the permissions whose lack a response names; returns false if it names none. */
  extend(got: HttpResponse): boolean {
    const { permission = "", permissions = "" } = metadataOf(got) ?? {};
    const isDenied = /^(PERMISSION_DENIED|PERMISSION_NOT_HELD)$/.test(reasonOf(got) ?? "");
    const lacking = `${permission},${permissions}`.split(",").filter((it) => it.includes("."));
    const added = lacking.filter((it) => !this.#permissions.has(it));
    for (const name of added) this.#permissions.add(name);
    return isDenied && added.length > 0;
  }
}

interface Taken {
  readonly got: HttpResponse;
  readonly busy: number;
  readonly longest: number;
  /** The CPU time of the server of the database, in milliseconds; 0 with SQLite, which works in this process. */
  readonly database: number;
  readonly memory: number;
  readonly bodyKib: number;
}

interface Attempt {
  readonly token: string;
  readonly message: JsonMessage;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** True to measure the memory before the call. */
  readonly isExact: boolean;
}

function readDatabaseCpu(): number {
  const { address } = marquee;
  if (address.engine === "sqlite") return 0;
  const [, name = ""] = /@\/(\w+)\?/.exec(address.url) ?? [];
  return readCpuTimeOf(name);
}

async function take(
  method: DescMethod,
  { token, message, headers, isExact }: Attempt,
): Promise<Taken> {
  let got: HttpResponse | undefined;
  heap.begin(isExact);
  const before = readDatabaseCpu();
  const { busy, longest } = await watchTurns(
    async () => {
      got = await callAs(token, method, message, headers);
    },
    () => heap.look(),
  );
  const database = readDatabaseCpu() - before;
  const bodyKib = JSON.stringify(message).length / 1024;
  return { got: got as HttpResponse, busy, longest, database, memory: heap.most, bodyKib };
}

/** Methods that merge all drafts of a release: its items and counts. */
const MERGING = /\/(UpdateRelease|GetRelease|ListReleases|SimulateRulesets|ListReleaseItems)$/;
/** Methods that write all of them, or as many resources of a change. */
const APPLYING = /\/(CheckRelease|ApplyRelease|RevertChange)$/;

/** Lists the limits that a call exceeds on a machine of a measure. */
function listErrors(method: DescMethod, taken: Taken, machine: number): string[] {
  const { got, busy, longest, database, memory, bodyKib } = taken;
  const size = Buffer.byteLength(got.text);
  const name = procedureOf(method);
  const mergedKib = isDelivery(method) || MERGING.test(name) ? draftKib : 0;
  const appliedKib = APPLYING.test(name) ? draftKib : 0;
  const { call, bodyKib: ofBody, responseKib, mergedKib: ofMerge, appliedKib: ofApply } = MOST_CPU;
  const work = ofBody * bodyKib + (responseKib * size) / 1024;
  const drafts = ofMerge * mergedKib + ofApply * appliedKib;
  const ms = machine / MACHINE_2025;
  const most = ms * (call + work + drafts) + (isDelivery(method) ? LISTS_TIME : 0);
  const longestTurn = ms * MOST_CPU.turn;
  const isRejected = got.status >= 500 || got.status === 400 || got.status === 403;
  return [
    ...(isRejected ? [`returned ${got.status}: ${got.text.slice(0, 300)}`] : []),
    ...(busy > most ? [`took ${busy.toFixed(0)} ms of CPU, more than ${most.toFixed(0)}`] : []),
    ...(database > most
      ? [`took ${database} ms of CPU of the database, more than ${most.toFixed(0)}`]
      : []),
    ...(longest > longestTurn
      ? [`held others up for ${longest.toFixed(0)} ms, more than ${longestTurn.toFixed(0)}`]
      : []),
    ...(memory > MOST_MEMORY ? [`took ${memory} bytes of memory`] : []),
    ...(size > MOST_RESPONSE ? [`returned ${size} bytes`] : []),
  ];
}

/**
 * Lists the limits that a method exceeds in each of several tries: the least of each measure counts, because a collection
 * of garbage or a busy machine adds to it. The machine is measured again beside a try that fails.
 */
async function findErrors(
  method: DescMethod,
  message: JsonMessage,
  { as, headers }: Pick<Case, "as" | "headers">,
): Promise<string[]> {
  const role = new LeastRole(method);
  let least: Taken | undefined;
  let machine = MACHINE;
  let errors: string[] = [];
  for (let tried = 0; tried < 4; tried += 1) {
    const token = isDelivery(method)
      ? marquee.keys.preview
      : as === "owner"
        ? marquee.tokens.owner
        : await role.open();
    let taken = await take(method, { token, message, headers, isExact: tried > 0 });
    while (token === LEAST.token && role.extend(taken.got)) {
      await role.open();
      taken = await take(method, { token, message, headers, isExact: tried > 0 });
    }
    if (tried > 0) machine = Math.max(machine, measureMachine());
    least = least === undefined ? taken : toLeast(least, taken);
    errors = listErrors(method, least, machine);
    if (errors.length === 0) break;
  }
  return errors;
}

function toLeast(a: Taken, b: Taken): Taken {
  return {
    ...b,
    busy: Math.min(a.busy, b.busy),
    longest: Math.min(a.longest, b.longest),
    database: Math.min(a.database, b.database),
    memory: Math.min(a.memory, b.memory),
  };
}

/** Methods that withhold values from the least role. */
const WITHHOLDING = /\/(ListReleaseItems|ListChanges|GetChange)$/;

/** A way to call a method. */
interface Case {
  readonly name: string;
  readonly method: DescMethod;
  readonly message: () => Promise<JsonMessage>;
  readonly as?: "owner";
  readonly headers?: Readonly<Record<string, string>>;
}

/** Lists the ways to call a method. */
function listCases(method: DescMethod): readonly Case[] {
  const name = procedureOf(method);
  const alone: Case = { name, method, message: () => messageOf(method) };
  const inRelease = async () => ({ ...(await messageOf(method)), releaseId: RELEASE });
  const inWinning = async () => ({ ...(await messageOf(method)), releaseId: WINNING });
  const headers = { "x-release-id": `${RELEASE},${WINNING}` };
  return [
    alone,
    ...(WITHHOLDING.test(name)
      ? [{ ...alone, name: `${name} of all values`, as: "owner" as const }]
      : []),
    ...(isDelivery(method) && method.idempotency === 1
      ? [{ ...alone, name: `${name} through releases`, headers }]
      : []),
    ...(/\/(Check|Apply)Release$/.test(name)
      ? [{ ...alone, name: `${name} of drafts that win`, message: inWinning }]
      : []),
    ...(isDrafting(method) ? [{ ...alone, name: `${name} in a release`, message: inRelease }] : []),
  ];
}

/**
 * Reports whether a method is measured in a release, too. Releases hold drafts of all kinds in the same way: events and
 * components stand for them.
 */
function isDrafting(method: DescMethod): boolean {
  const kind = kindTypeOf(method);
  const isOfOthers = isRecordKind(kind) && !["event", "page_component"].includes(kind);
  return method.input.field.releaseId !== undefined && kind !== "release" && !isOfOthers;
}

/** Reports whether a method writes resources with records. */
function isWriting(method: DescMethod): boolean {
  const kind = kindTypeOf(method);
  const isOfRecords = kind === "record" || (isRecordKind(kind) && kindOf(kind).in === "project");
  return isOfRecords && /^(Create|Update|Write)/.test(method.name);
}

const [WRITE_RECORDS] = METHODS.filter(({ name }) => name === "WriteRecords") as [DescMethod];
const RECORDS: readonly Case[] = RECORD_KINDS.filter(isWritable)
  .filter(isMeasuredKind)
  .map((kind) => ({
    name: `WriteRecords of the widest records of the kind ${kind}`,
    method: WRITE_RECORDS,
    message: async () => ({
      ...{ projectId: DEMO.projectId, records: listRecordsOf(kind), validateOnly: true },
    }),
  }));
const CASES = [...METHODS.flatMap(listCases), ...RECORDS];

test.each(CASES.map((it) => [it.name, it] as const))("%s is bounded", async (_, it) => {
  expect(await findErrors(it.method, await it.message(), it)).toEqual([]);
});

// The contracts of the store hold the engines to the same bytes.
test
  .runIf(ENGINE === "sqlite")
  .each(CASES.filter(({ method }) => isWriting(method)).map((it) => [it.name, it] as const))(
  "%s stores as much as its body allows",
  async (_, { method, message }) => {
    const { validateOnly: __, ...rest } = await message();
    expect(await findStored(method, rest)).toEqual([]);
  },
);

/** Returns what a write stores besides its resources: drafts, history, audit entries, runs and repeatable responses. */
async function storedBytes(): Promise<number> {
  const bytes = (column: string, table: string) =>
    sql`(select coalesce(sum(octet_length(${sql.ref(column)})), 0) from ${sql.table(table)})`;
  const { rows } = await sql<{ bytes: number }>`
    select (select sum(history_bytes) + sum(draft_bytes) from project)
      + ${bytes("doc", "audit_entry")} + ${bytes("payload", "action_run")}
      + ${bytes("answer", "answered_request")} as bytes
  `.execute(db);
  return Number(rows[0]?.bytes);
}

/** Stores a message; lists what exceeds three times its body and 64 KiB. */
async function findStored(method: DescMethod, message: JsonMessage): Promise<string[]> {
  const before = await storedBytes();
  const got = await callAs(marquee.tokens.owner, method, message);
  const stored = (await storedBytes()) - before;
  const body = JSON.stringify(message).length;
  return [
    ...(got.status === 200 ? [] : [`returned ${got.status}: ${got.text.slice(0, 300)}`]),
    ...(stored > 3 * body + 64 * 1024 ? [`stored ${stored} bytes for ${body}`] : []),
  ];
}
