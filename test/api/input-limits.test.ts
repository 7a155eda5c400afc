import type { DescMethod } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { connectHeaders } from "../harness/calls.ts";
import { readCpu } from "../harness/cpu-time.ts";
import { metadataOf, reasonOf, send } from "../harness/http.ts";
import { LONGEST_TURN, MACHINE, type Turns, watchTurns } from "../harness/turns.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { sampleOf } from "./method-samples.ts";
import { findMethods, type JsonMessage, procedureOf } from "./methods.ts";
import { listPlaces, type RequestPlace } from "./request-places.ts";

// Every field of every request is filled as far as it goes, by its descriptor, so that a new field is
// tested without a word here. A request at the limit must not hold up others; its time may grow about as
// its size does; and one past the limit is rejected by its reason.

/** What takes less time is not compared: it is too short to distinguish growth from noise. */
const COMPARED_FROM = 15 * MACHINE;
/** Twice the size may take this many times as long: linear is 2, quadratic is 4. */
const GROWTH = 3;
const TRIES = 3;

const REJECTIONS = [
  "FIELD_TOO_LONG",
  "TOO_MANY_ITEMS",
  "JSON_TOO_LARGE",
  "JSON_TOO_DEEP",
  "KQL_LIMIT",
];

const METHODS = (await findMethods()).filter(({ methodKind }) => methodKind === "unary");
/** The resources that are created by themselves. */
const CREATED = METHODS.filter(({ name }) => name.startsWith("Create")).flatMap(({ input }) =>
  input.fields.map(({ message }) => message).filter((it) => it?.typeName.startsWith("svc.")),
);
const marquee = await useMarquee();

test("there are methods and places to walk through", () => {
  expect(METHODS.length).toBeGreaterThan(120);
  expect(METHODS.flatMap(({ input }) => listPlaces(input)).length).toBeGreaterThan(1_000);
});

for (const method of METHODS) {
  const places = listPlaces(method.input).filter(
    (place) => !(isCreated(method, place) && isInside(method, place)),
  );
  if (places.length === 0) continue;
  describe(procedureOf(method), () => {
    test("takes requests at every limit in good time, and none past it", async () => {
      const message = await rehearsalOf(method);
      const errors: string[] = [];
      for (const place of places) {
        const name = `${place.path} (${place.limit})`;
        for (const [kind, fill] of isCreated(method, place) ? [] : Object.entries(place.fills)) {
          const bodyOf = (size: number) => toBody(place.put(message, fill(size)));
          const error = await findError(method, bodyOf, place.maximum);
          if (error !== undefined) errors.push(`${name} of ${kind}: ${error}`);
        }
        const error = await findPastLimit(method, message, place);
        if (error !== undefined) errors.push(`${name}: ${error}`);
      }
      expect(errors).toEqual([]);
    });
  });
}

/**
 * Reports whether a place is of a resource that another method creates, where its fields take as long;
 * `limits-together.test.ts` holds how long they all take in an update.
 */
function isCreated({ name, input }: DescMethod, { path }: RequestPlace): boolean {
  if (name === "WriteRecords") return path.startsWith("records[0].");
  const { message } = input.fields.find((field) => path.startsWith(`${field.name}.`)) ?? {};
  return name.startsWith("Update") && CREATED.includes(message);
}

/** Reports whether a place is inside of a field of such a resource. */
function isInside({ name }: DescMethod, { path }: RequestPlace): boolean {
  return path.split(".").length > (name === "WriteRecords" ? 3 : 2);
}

/** Describes what is wrong with how a request at the limit is taken. */
async function findError(
  method: DescMethod,
  bodyOf: (size: number) => Buffer,
  maximum: number,
): Promise<string | undefined> {
  const body = bodyOf(maximum);
  const before = readCpu();
  const { reason = "", status } = await post(method, body);
  const used = readCpu() - before;
  if (status >= 500) return `returned ${status}`;
  if (REJECTIONS.includes(reason)) return `rejected at the limit: ${reason}`;
  // To watch the turns takes CPU itself, and none of them took longer than all.
  if (used <= Math.min(COMPARED_FROM, LONGEST_TURN)) return undefined;
  const whole = new Least(() => post(method, body));
  const half = new Least(() => post(method, bodyOf(Math.floor(maximum / 2))));
  let error: string | undefined;
  for (let tried = 0; tried < TRIES; tried += 1) {
    await whole.measure();
    if (whole.longest > LONGEST_TURN) {
      error = `held others up for ${whole.longest.toFixed(0)} ms`;
      continue;
    }
    if (whole.busy <= COMPARED_FROM) return undefined;
    await half.measure();
    if (whole.busy <= GROWTH * half.busy) return undefined;
    error = `takes ${whole.busy.toFixed(0)} ms, of half the size ${half.busy.toFixed(0)} ms`;
  }
  return error;
}

async function findPastLimit(
  method: DescMethod,
  message: JsonMessage,
  { path, maximum, reason, fills, put }: RequestPlace,
): Promise<string | undefined> {
  const [fill] = Object.values(fills);
  const { status, ...got } = await post(method, toBody(put(message, fill?.(maximum + 1))));
  const isRejected = status === 400 && got.reason === reason && got.field === path;
  return isRejected ? undefined : `${maximum + 1} returned ${JSON.stringify({ status, ...got })}`;
}

/** What a request takes: the least of its measures, to which a collection of garbage may add. */
class Least implements Turns {
  readonly #run: () => Promise<unknown>;
  busy = Number.POSITIVE_INFINITY;
  longest = Number.POSITIVE_INFINITY;

  constructor(run: () => Promise<unknown>) {
    this.#run = run;
  }

  async measure(): Promise<void> {
    const { busy, longest } = await watchTurns(this.#run);
    this.busy = Math.min(this.busy, busy);
    this.longest = Math.min(this.longest, longest);
  }
}

async function rehearsalOf(method: DescMethod): Promise<JsonMessage> {
  // A record that is rejected alone fails no call.
  const mode = method.name === "WriteRecords" ? { mode: "WRITE_MODE_TOGETHER" } : {};
  const sample = { ...(await sampleOf(marquee, method)), ...mode };
  // All is done and nothing kept, where that can be asked for.
  const canBeTried = method.input.fields.some(({ name }) => name === "validate_only");
  return canBeTried ? { ...sample, validateOnly: true } : sample;
}

function toBody(message: JsonMessage): Buffer {
  return Buffer.from(JSON.stringify(message));
}

interface Reply {
  readonly status: number;
  readonly reason: string | undefined;
  readonly field: string | undefined;
}

async function post(method: DescMethod, body: Buffer): Promise<Reply> {
  const isStudio = method.parent.typeName.startsWith("svc.studio.");
  const token = isStudio ? marquee.tokens.owner : marquee.keys.preview;
  const headers = connectHeaders(token);
  const got = await send("POST", `${marquee.url}/${procedureOf(method)}`, { headers, body });
  return { status: got.status, reason: reasonOf(got), field: metadataOf(got)?.field };
}
