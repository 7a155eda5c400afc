import type { DescMessage, DescMethod, JsonObject } from "@bufbuild/protobuf";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectHeaders } from "../harness/calls.ts";
import { openDatabase } from "../harness/database.ts";
import { type HttpResponse, send } from "../harness/http.ts";
import { LONGEST_TURN, MACHINE, watchTurns } from "../harness/turns.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { sampleOf } from "./method-samples.ts";
import { findMethods, type JsonMessage, procedureOf } from "./methods.ts";
import { DEMO, ReleaseCalls } from "./releases/releases.ts";

// Every method is called with all its limits together: the longest filter, the widest and the deepest documents, the
// longest mask, the most items, over content, releases and history that are stored for its worst case. The CPU time,
// the longest turn, the response and what is stored are bounded by the sizes of the request and of what it names.

const marquee = await useMarquee();
const calls = new ReleaseCalls(marquee);

const METHODS = (await findMethods()).filter(({ methodKind }) => methodKind === "unary");

/** A millisecond of CPU time of a machine of 2025. */
const MS = LONGEST_TURN / 100;

/** The most CPU time of a call: in total, for a KiB of its body, and for a KiB of its response. */
const MOST_CPU = { call: 200 * MS, bodyKib: 20 * MS, responseKib: MS };

/** The CPU time of the lists of a request, besides other work (contract: limits 6). */
const LISTS_CPU = 600 * MS;

/** The CPU time for a KiB of the drafts that a call reads and merges. */
const DRAFT_KIB = MS;

/** The most bytes of a response: a page, and one item more. */
const MOST_RESPONSE = 6 * 1024 * 1024;

/** Values of a document; the limit is 5,000. */
const VALUES = 4_800;

const KEY = "k".repeat(250);

/** The largest documents by their shape; `salt` makes each value another. */
const SHAPES: Readonly<Record<string, (salt: number) => JsonObject>> = {
  wide: (salt) => ({ [KEY]: { [KEY]: { [KEY]: { [KEY]: flat(VALUES, salt) } } } }),
  deep: (salt) => {
    let inner: JsonObject = flat(VALUES - 28 * 100, salt);
    for (let level = 0; level < 27; level += 1) inner = { ...flat(100, salt), z: inner };
    return inner;
  },
  list: (salt) => ({ q0: Array.from({ length: VALUES }, (_, it) => it + salt) }),
};

function flat(count: number, salt: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, it) => [`q${it}`, it + salt]));
}

const COUNT = 6;
const IDS = Object.keys(SHAPES).flatMap((shape) =>
  Array.from({ length: COUNT }, (_, it) => ({ id: `hostile-${shape}-${it}`, shape })),
);
const RELEASE = "hostile";
const fieldsOf = (shape: string, salt: number) => SHAPES[shape]?.(salt) ?? {};

/** The id of the last change of a large document. */
let changeId = "";
/** The KiB of the drafts of the release. */
let draftKib = 0;
let db: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  db = openDatabase(marquee.address);
  await calls.createRelease(RELEASE);
  await calls.createRelease("hostile-small");
  for (const { id, shape } of IDS) {
    await calls.createEvent(id, { visibility: "VISIBILITY_PUBLISHED", fields: fieldsOf(shape, 0) });
    await calls.patchEvent(id, { fields: fieldsOf(shape, 10_000) }, RELEASE);
    // Each value is in conflict.
    await calls.patchEvent(id, { fields: fieldsOf(shape, 20_000) });
  }
  const { changes } = await calls.call("GET", "cms/changes/v1?project_id=worldcup&page_size=1");
  changeId = changes[0].id;
  draftKib = (await storedBytes()) / 1024;
}, 240_000);
afterAll(() => db.destroy());

/** Returns the bytes of drafts, history and repeatable responses. */
async function storedBytes(): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select
      (select coalesce(sum(coalesce(octet_length(base), 0) + coalesce(octet_length(draft), 0)), 0) from release_item)
      + (select coalesce(sum(coalesce(octet_length(before), 0) + coalesce(octet_length(doc), 0)
        + octet_length(paths)), 0) from history) as bytes
  `.execute(db);
  return Number(rows[0]?.bytes);
}

const CLAUSES = Array.from({ length: 60 }, (_, it) => `not fields.q0: z${it}`).join(" and ");
const MASK = Array.from({ length: 100 }, (_, it) => `fields.q${it}`);

/** The id of what is stored for the worst case, by the field that names it. */
function hostileId(field: string): string | undefined {
  const ids: Readonly<Record<string, string>> = {
    eventId: "hostile-wide-0",
    releaseId: RELEASE,
    changeId,
    itemKey: "event:hostile-deep-1",
  };
  return ids[field];
}

/** Fills a message as far as its fields go, so that it is valid. */
function fill(schema: DescMessage, message: JsonMessage): JsonMessage {
  const filled: Record<string, unknown> = { ...message };
  const isContentWrite = schema.fields.some(
    ({ message: inner }) => inner?.fields.some(({ name }) => name === "fields") === true,
  );
  for (const { jsonName, message: inner, fieldKind } of schema.fields) {
    const id = hostileId(jsonName);
    if (id !== undefined && jsonName in message) filled[jsonName] = id;
    else if (jsonName === "pageSize") filled[jsonName] = 1_000;
    else if (jsonName === "event" && fieldKind === "message" && "updateMask" in message) {
      const shape = "wide";
      filled[jsonName] = {
        id: "hostile-wide-0",
        projectId: DEMO.projectId,
        fields: fieldsOf(shape, 30_000),
      };
    } else if (jsonName === "updateMask" && isContentWrite) filled[jsonName] = "fields";
    else if (jsonName === "records") filled[jsonName] = listRecords();
    else if (inner !== undefined && fieldKind === "message" && jsonName in message) {
      if (/^svc\./.test(inner.typeName)) {
        const value = message[jsonName] as JsonMessage;
        filled[jsonName] =
          "fields" in value ? { ...value, fields: fieldsOf("deep", 40_000) } : value;
      }
    }
  }
  return filled;
}

/** Lists records that change a hundred values each in the deepest documents. */
function listRecords(): readonly JsonMessage[] {
  // A body of JSON has at most 20,000 values.
  const deep = IDS.filter(({ shape }) => shape === "deep").slice(0, 4);
  return deep.map(({ id, shape }) => ({
    event: { id, projectId: DEMO.projectId, fields: fieldsOf(shape, 50_000) },
    fieldsMask: MASK.join(","),
  }));
}

async function messageOf(method: DescMethod): Promise<JsonMessage> {
  const message = fill(method.input, await sampleOf(marquee, method));
  const names = method.input.fields.map(({ jsonName }) => jsonName);
  const isContentList = isDelivery(method) && names.includes("excludeGeoblocked");
  return {
    ...message,
    ...(isContentList && { filter: CLAUSES, order: "fields.q0 desc", pageSize: 100 }),
    // What is stored stays as it is for the methods that follow.
    ...(names.includes("validateOnly") && { validateOnly: true }),
  };
}

function isDelivery({ parent }: DescMethod): boolean {
  return parent.typeName.startsWith("svc.cda.");
}

interface Taken {
  readonly got: HttpResponse;
  readonly busy: number;
  readonly longest: number;
  readonly stored: number;
  readonly bodyKib: number;
}

async function take(
  method: DescMethod,
  message: JsonMessage,
  headers: Readonly<Record<string, string>> = {},
): Promise<Taken> {
  const token = isDelivery(method) ? marquee.keys.preview : marquee.tokens.owner;
  const body = Buffer.from(JSON.stringify(message));
  let got: HttpResponse | undefined;
  const before = await storedBytes();
  const { busy, longest } = await watchTurns(async () => {
    const all = { ...connectHeaders(token), ...headers };
    got = await send("POST", `${marquee.url}/${procedureOf(method)}`, { headers: all, body });
  });
  const stored = (await storedBytes()) - before;
  return { got: got as HttpResponse, busy, longest, stored, bodyKib: body.length / 1024 };
}

/** Methods that read all drafts of the release: those that apply it, its items and counts, and lists through it. */
const MERGING =
  /\/(CheckRelease|ApplyRelease|UpdateRelease|GetRelease|ListReleases|SimulateRulesets)$/;

function listErrors(method: DescMethod, { got, busy, longest, stored, bodyKib }: Taken): string[] {
  const size = Buffer.byteLength(got.text);
  const most =
    MOST_CPU.call +
    MOST_CPU.bodyKib * bodyKib +
    (MOST_CPU.responseKib * size) / 1024 +
    (isDelivery(method) ? LISTS_CPU : 0) +
    (isDelivery(method) || MERGING.test(procedureOf(method)) ? DRAFT_KIB * draftKib : 0);
  const headers = JSON.stringify([...Object.entries(got.headers)]).length;
  return [
    ...(got.status >= 500 || got.status === 400
      ? [`returned ${got.status}: ${got.text.slice(0, 200)}`]
      : []),
    ...(busy > most ? [`took ${busy.toFixed(0)} ms of CPU, more than ${most.toFixed(0)}`] : []),
    ...(longest > LONGEST_TURN ? [`held others up for ${longest.toFixed(0)} ms`] : []),
    ...(size > MOST_RESPONSE ? [`returned ${size} bytes`] : []),
    ...(headers > 8 * 1024 ? [`returned headers of ${headers} bytes`] : []),
    ...(stored > 3 * bodyKib * 1024 + 64 * 1024
      ? [`stored ${stored} bytes for ${bodyKib} KiB`]
      : []),
  ];
}

/** Takes the least of several tries: what took long once may be a collection of garbage. */
async function findErrors(run: () => Promise<Taken>, method: DescMethod): Promise<string[]> {
  let errors: string[] = [];
  for (let tried = 0; tried < 3; tried += 1) {
    errors = listErrors(method, await run());
    if (errors.length === 0) break;
  }
  return errors;
}

test("a machine is measured", () => expect(MACHINE).toBeGreaterThan(0));

describe.each(METHODS.map((method) => [procedureOf(method), method] as const))(
  "%s",
  (_, method) => {
    test("is bounded with all its limits together", async () => {
      const message = await messageOf(method);
      expect(await findErrors(() => take(method, message), method)).toEqual([]);
    }, 120_000);

    if (!isDelivery(method) || method.idempotency !== 1) return;
    test("is bounded through releases", async () => {
      const message = await messageOf(method);
      const headers = { "x-release-id": `${RELEASE},hostile-small` };
      expect(await findErrors(() => take(method, message, headers), method)).toEqual([]);
    }, 120_000);
  },
);
