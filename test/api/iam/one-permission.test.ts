import {
  create,
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
} from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { access } from "../../../gen/svc/options/v1/access_pb.ts";
import { TextKind, text as textOption } from "../../../gen/svc/options/v1/text_pb.ts";
import { ReleaseFailureSchema, ReleaseState } from "../../../gen/svc/type/v1/release_pb.ts";
import { isContentKind, isReleasable, KIND_NAMES, kindOf } from "../../../src/domain/kinds.ts";
import type { HttpResponse } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { exportText, importText, toText } from "../../transfer/transfer.ts";
import { sampleOf } from "../method-samples.ts";
import { callConnect, findMethods, type JsonMessage } from "../methods.ts";
import { callIam, iamMaker } from "./iam.ts";

const marquee = await useMarquee();
const make = iamMaker(callIam(marquee));

/**
 * The methods that show values of other kinds, of the offer that is bought and all that a preview key reads, and the one
 * that needs a permission on the installation.
 */
const UNASKED = ["CreateOrganization", "CreateTransaction", "RenderPageComponent"];

/** The methods that need a permission, with it. */
const METHODS = (await findMethods()).flatMap((method): [DescMethod, string][] => {
  const { rule } = getOption(method, access);
  const isOf = method.parent.typeName.startsWith("svc.studio.");
  const isAsked = isOf && rule.case === "permission" && !UNASKED.includes(method.name);
  return isAsked ? [[method, rule.value.name]] : [];
});

/** Two states of a project, of which the values of all resources differ, and their words the texts. */
const WORLDS = [
  { word: "alder", duration: "100s" },
  { word: "birch", duration: "70s" },
] as const;
type World = (typeof WORLDS)[number];

const RELEASE = "withheld";
/** The resources of each kind that differ, besides those of the samples. */
const MOST = 3;
const FREE_TEXT = /^(name|title|subtitle|description|timer_label|offer_name)$/;

// biome-ignore lint/suspicious/noExplicitAny: records have JSON of every form.
type Json = any;

/** Gives the texts of a record words, and its free fields values. */
function plant(value: Json, word: string, duration: string): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((it) => plant(it, word, duration));
  const entries = Object.entries(value).map(([name, it]: [string, Json]) => {
    if (name === "duration") return [name, duration];
    if (name === "fields") return [name, { ...it, secret: word, [word]: 1 }];
    if (!FREE_TEXT.test(name)) return [name, plant(it, word, duration)];
    return [name, typeof it === "string" ? word : { en: word }];
  });
  return Object.fromEntries(entries);
}

const wordOf = (world: World, kind: string) => `${world.word}${kind.replaceAll("_", "")}`;

/** Brings an exported project into a state; `samples` name what differs in it besides the first of each kind. */
async function enter(world: World, exported: string, samples: string): Promise<void> {
  const counts = new Map<string, number>();
  const lines: object[] = [];
  const drafts: object[] = [];
  for (const line of exported.trim().split("\n")) {
    const record = JSON.parse(line);
    const [kind = ""] = Object.keys(record);
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const isSample = samples.includes(`"${record[kind].id}"`);
    if (kind === "organization" || kind === "project" || (count > MOST && !isSample)) continue;
    const planted = plant(record, wordOf(world, kind), world.duration);
    lines.push(planted);
    if (isReleasable(kind as "event")) {
      drafts.push({ ...planted, release_id: RELEASE, base: true });
      drafts.push({ ...plant(record, `${wordOf(world, kind)}draft`, ""), release_id: RELEASE });
    }
  }
  const release = { release: { id: RELEASE, project_id: "worldcup", name: RELEASE } };
  await importText(marquee.store, toText([...lines, release, ...drafts]));
  const { release: releases } = marquee.store.in("org-worldcup").documents;
  const failure = create(ReleaseFailureSchema, {
    ...{ reason: "ALREADY_EXISTS", itemKey: "event:match-2026-104", time: timestampNow() },
    message: `event:match-2026-104: '${wordOf(world, "event")}'`,
  });
  const state = ReleaseState.FAILED;
  await releases.update(RELEASE, ({ value }) => ({ ...value, state, failure }));
}

const KQL_KINDS: readonly TextKind[] = [TextKind.KQL, TextKind.KQL_LITERAL];

/** A filter that only content of the first state matches, and only there has a path. */
const FILTER = "fields.alderevent: * or *alderevent*";

const holdsFilter = (message: JsonMessage) => JSON.stringify(message).includes(FILTER);

/** Lists the filters of a request, as the fields on the way to each. */
function* listFilters(
  schema: DescMessage,
  above: readonly DescField[] = [],
): Generator<DescField[]> {
  for (const field of schema.fields) {
    const isKql = KQL_KINDS.includes(getOption(field, textOption));
    if (isKql || (above.length === 0 && field.name === "filter")) yield [...above, field];
    const isBelow = field.fieldKind === "message" && field.message.typeName.startsWith("svc.");
    if (isBelow && above.length < 3) yield* listFilters(field.message, [...above, field]);
  }
}

/** Returns a request with a filter instead of what excludes it. */
function withFilter(message: JsonMessage, [field, ...below]: readonly DescField[]): JsonMessage {
  if (field === undefined) return message;
  const others = field.oneof?.fields.map(({ jsonName }) => jsonName) ?? [];
  const rest = Object.entries(message).filter(([name]) => !others.includes(name));
  const value = (message[field.jsonName] ?? {}) as JsonMessage;
  const filled = below.length === 0 ? FILTER : withFilter(value, below);
  return { ...Object.fromEntries(rest), [field.jsonName]: filled };
}

/** Lists requests of a method that write nothing: its sample, about a release, and with each of its filters. */
function listRequests({ input }: DescMethod, sample: JsonMessage): JsonMessage[] {
  const { releaseId, updateMask, validateOnly } = input.field;
  const filtered = [...listFilters(input)].map((path) => ({
    ...withFilter(sample, path),
    ...(updateMask && path[1] && { updateMask: path[1].name }),
  }));
  const requests = [sample, ...(releaseId ? [{ ...sample, releaseId: RELEASE }] : []), ...filtered];
  return requests.map((it) => (validateOnly ? { ...it, validateOnly: true } : it));
}

/** Returns a response without what differs each time, and without the words of some kinds. */
function print({ status, headers, text }: HttpResponse, kinds: readonly string[]): string {
  const warnings = headers.get("marquee-warnings");
  const pending = headers.get("x-pending-releases");
  const printed = `${status} ${text} ${warnings} ${pending}`
    .replace(/[\da-f]{8}-[\da-f-]{27}/g, "<id>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/"(value|nextPageToken|key|token|signingSecret|duration)":"[^"]*"/g, "");
  return WORLDS.flatMap((world) => kinds.map((kind) => wordOf(world, kind))).reduce(
    (shown, word) => shown.replaceAll(word, "<own>"),
    printed,
  );
}

/** Who sends the requests of a method, and the kinds whose values the responses may show. */
interface Asker {
  readonly method: DescMethod;
  readonly requests: readonly JsonMessage[];
  readonly kinds: readonly string[];
  readonly token: string;
}

async function ask(askers: readonly Asker[]): Promise<Map<string, string>> {
  const responses = new Map<string, string>();
  for (const { method, requests, kinds, token } of askers) {
    for (const [index, message] of requests.entries()) {
      const got = await callConnect(marquee.url, method, message, token);
      const request = `${method.name} of ${kinds}: ${index} ${JSON.stringify(message)}`;
      responses.set(request, print(got, kinds));
    }
  }
  return responses;
}

/** The permissions to read and to write drafts. */
const DRAFTING = ["cms.releases.get", "cms.releases.update"];

/** Makes an account for each method, with its permission alone, and one with those of releases too. */
async function makeAskers(): Promise<Asker[]> {
  const askers: Asker[] = [];
  for (const [method, permission] of METHODS) {
    const all = listRequests(method, await sampleOf(marquee, method));
    for (const others of method.input.field.releaseId ? [[], DRAFTING] : [[]]) {
      const permissions = [...new Set([permission, ...others])];
      const own = permissions.map((name) => name.replace(/\.\w+$/, ""));
      const kinds = KIND_NAMES.filter((kind) => own.includes(kindOf(kind).permissions));
      // The filter finds content.
      const requests = kinds.some(isContentKind) ? all.filter((it) => !holdsFilter(it)) : all;
      askers.push({ method, requests, kinds, token: (await make.caller(permissions)).token });
    }
  }
  return askers;
}

/** Lists the requests whose responses differ. */
const listDifferent = ([first, second]: readonly Map<string, string>[]) =>
  [...(first ?? [])].flatMap(([request, text]) => {
    const other = second?.get(request);
    return text === other ? [] : [{ request, text, other }];
  });

test("a response does not depend on values that its caller has no permission to read", async () => {
  const askers = await makeAskers();
  const owners = askers.map((it) => ({ ...it, kinds: [], token: marquee.tokens.owner }));
  const samples = JSON.stringify(askers.map(({ requests }) => requests));
  const exported = await exportText(marquee.store, "worldcup");
  const limited: Map<string, string>[] = [];
  const whole: Map<string, string>[] = [];
  for (const world of WORLDS) {
    await enter(world, exported, samples);
    limited.push(await ask(askers));
    whole.push(await ask(owners));
  }
  const [responses = new Map()] = limited;
  const succeeded = [...responses.values()].filter((it) => it.startsWith("200"));
  expect(listDifferent(limited)).toEqual([]);
  expect(succeeded.length).toBeGreaterThan(responses.size / 2);
  expect(listDifferent(whole).length).toBeGreaterThan(40);
});
