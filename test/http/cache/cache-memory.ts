// A thread for the tests, whose heap holds nothing else: fills a cache with each kind of answers, and sends the
// memory that this takes as a share of what the cache is given.
import { setImmediate } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import { EventService } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { collectGarbage } from "../../../src/cli/heap.ts";
import { createCanonicalForms } from "../../../src/http/cache/canonical-forms.ts";
import { EncodedAnswers } from "../../../src/http/cache/encoded-answers.ts";
import { createHotIndex } from "../../../src/http/cache/hot-index.ts";
import {
  createResponseCache,
  type FreshAnswer,
  toCacheKey,
} from "../../../src/http/cache/response-cache.ts";
import { type Encoding, encodingOf } from "../../../src/http/connect/unary-form.ts";
import type { NodeRequest } from "../../../src/http/server/exchange.ts";
import { RequestMetrics } from "../../../src/http/server/request-metrics.ts";
import { readIn } from "./fresh-answer.ts";

const MIB = 1024 * 1024;
const MAX_BYTES = 8 * MIB;
const READS = 6_000;

const JSON_ENCODING = encodingOf({ protocol: "connect", codec: "json" }, "identity");
const GRPC_ENCODING = encodingOf({ protocol: "grpc", codec: "proto" }, "identity");

/** Fills a cache and what finds its answers with more than they take; the cost of small answers is overhead. */
async function fill(bodyBytes: number, encodings: readonly Encoding[]) {
  const cache = createResponseCache({ knownRevision: () => 1 }, MAX_BYTES);
  const hotIndex = createHotIndex(cache);
  const canonicalForms = createCanonicalForms(cache.budget.forms);
  const method = EventService.method.listEvents;
  const series = new RequestMetrics().seriesOf("connect", method.name);
  for (let number = 0; number < READS; number += 1) {
    const message = Buffer.from(`{"pageSize":20,"filter":"fields.attendance >= ${number}"}`);
    const form = canonicalForms.find(method, { codec: "json" }, message, () => `${message}`) ?? "";
    const fetch = async () => toAnswer(number, bodyBytes);
    for (const encoding of encodings) {
      const read = { ...readIn("identity"), form, encoding, now: new Date(number) };
      // Its head is made when it is first sent, and takes memory from then on.
      const { head, trailers } = await cache.answer(read, fetch);
      // HTTP/1.1 has no hot answers with trailers.
      if (trailers === undefined) void head.text;
      const text = `?encoding=json&message=${encodeURIComponent(form)}`;
      const url = `/ListEvents${number % 2 === 0 ? text : ""}`;
      // Numbered, as each real request has strings of its own.
      const request = { url, headers: { authorization: `Bearer ${number}` } } as NodeRequest;
      const place = { key: toCacheKey(read), projectId: "p", revision: 1, series };
      const query = { message: form, isBase64: false, compression: "identity" };
      hotIndex.note(request, message, place, number % 2 === 0 ? { ...encoding, query } : encoding);
    }
  }
  return { cache, hotIndex, canonicalForms };
}

function toAnswer(number: number, bodyBytes: number): FreshAnswer {
  const message = Buffer.from(`${number}`.padEnd(bodyBytes));
  return {
    answers: new EncodedAnswers({
      headers: {
        "cache-control": "public, s-maxage=60",
        "surrogate-key": Array.from({ length: 20 }, (_, key) => `event-${number}-${key}`).join(" "),
      },
      trailers: {},
      codec: "json",
      message,
      transcode: (bytes) => Buffer.from(bytes),
      isTagged: true,
    }),
  };
}

/** The memory of live objects and buffers, in bytes. */
async function readLiveMemory(): Promise<number> {
  // What was filled before is alive until its promises are settled, and its buffers are freed later.
  for (let earlier = Number.POSITIVE_INFINITY; ; ) {
    await setImmediate();
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    const now = heapUsed + arrayBuffers;
    if (earlier - now < MAX_BYTES / 100) return now;
    earlier = now;
  }
}

/** Returns what a full cache takes, as a share of what it is given. Nothing of it is alive afterwards. */
async function measure(bodyBytes: number, encodings: readonly Encoding[]): Promise<number> {
  const before = await readLiveMemory();
  const full = await fill(bodyBytes, encodings);
  const gained = (await readLiveMemory()) - before;
  // Alive until here.
  if (full.cache === undefined) throw new Error("no cache");
  return gained / MAX_BYTES;
}

for (const [name, bodyBytes, encodings] of [
  ["small answers", 100, [JSON_ENCODING]],
  ["small answers by two protocols", 100, [JSON_ENCODING, GRPC_ENCODING]],
  ["larger answers", 10_000, [JSON_ENCODING]],
] as const) {
  parentPort?.postMessage({ name, share: await measure(bodyBytes, encodings) });
}
