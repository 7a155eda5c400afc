import { readFileSync } from "node:fs";
import {
  clone,
  type DescField,
  type DescMessage,
  fromJson,
  isFieldSet,
  type JsonObject,
  type Message,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import samples from "../../demo/samples.json" with { type: "json" };
import { readField } from "../../src/domain/base/descriptors.ts";
import {
  isPartOfProject,
  isRecordKind,
  RECORD_SCHEMAS,
  type RecordKind,
} from "../../src/domain/records/record.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { CopyIds, copyRecord, decideCopyRule } from "../../src/transfer/copy-record.ts";
import { importLines } from "../../src/transfer/import-lines.ts";
import { readCopy } from "../../src/transfer/project-copy.ts";
import { readNames } from "../../src/transfer/read-record.ts";
import type { Sample } from "../../tools/openapi/example.ts";
import { type FreshStore, openFresh } from "../harness/fresh-store.ts";
import { exportText, importText, toText } from "./transfer.ts";

/** Copies the project of a file, as `marquee import --into-project` does. */
async function importCopy(store: Store, text: string, projectId: string, sourceId?: string) {
  const copy = await readCopy([Buffer.from(text)], projectId, sourceId);
  const createSecret = () => "whsec_copy";
  return importLines(store, [Buffer.from(text)], { projectId: sourceId, copy, createSecret });
}

/** The samples of the kinds that a project's file contains. */
const SAMPLES = Object.entries(samples as Readonly<Record<string, Sample>>).flatMap(
  ([kind, { id, resource }]) => {
    if (!isRecordKind(kind) || !isPartOfProject(kind) || kind === "organization") return [];
    const json = { ...resource, id: kind === "project" ? "worldcup" : id } as JsonObject;
    return [{ kind, id, message: fromJson(RECORD_SCHEMAS[kind], json) }];
  },
);

/** The rules that a value shows; a rule for the names in a text or in JSON has further cases. */
const SHOWN_RULES = ["id", "kept", "message", "project"];

describe("what a copy makes of each field that can hold a name", () => {
  const demo = readFileSync("demo/demo.ndjson", "utf8").trimEnd().split("\n").map(readNames);
  const inProject = demo.filter(({ kind }) => kind !== "organization");
  const known = new Set([...inProject, ...SAMPLES].map(({ id }) => id));
  const ids = new CopyIds("copy");
  for (const id of known) ids.known.add(id);
  const toCopy = (id: string) => (id === "worldcup" ? "copy" : `${id}~copy`);

  test.each(SAMPLES)("is shown by the sample: $kind", ({ kind, message }) => {
    const schema = RECORD_SCHEMAS[kind];
    const want = JSON.stringify(toJson(schema, message)).replaceAll(
      /(?<=")[^"]+(?="[,}\]])/g,
      (it) => (known.has(it) ? toCopy(it) : it),
    );
    const copied = copyRecord({ kind, message: clone(schema, message), line: 1 }, ids);
    expect(JSON.stringify(toJson(schema, copied.message))).toBe(want);
  });

  test("is decided: a new field that no sample shows needs a line in the fixture", () => {
    const want = readFileSync("test/fixtures/copy-rules.tsv", "utf8").trimEnd().split("\n");
    const shown = new Set(
      SAMPLES.flatMap(({ kind, message }) => listSet(RECORD_SCHEMAS[kind], message)),
    );
    const isShown = (line: string) => {
      const [name = "", rule = ""] = line.split("\t");
      return shown.has(name) && SHOWN_RULES.includes(rule);
    };
    expect(listRules().filter((line) => !isShown(line))).toEqual(want);
  });
});

/** Lists the fields that are set in a message and below it. */
function listSet(schema: DescMessage, message: Message): string[] {
  return schema.fields.flatMap((field) => {
    if (!isFieldSet(message, field)) return [];
    const value = readField(message, field);
    const below = field.fieldKind === "list" ? (value as Message[]) : [value as Message];
    const { message: inner } = field;
    const isOwn = inner !== undefined && !inner.typeName.startsWith("google.");
    const names =
      isOwn && field.fieldKind !== "map" ? below.flatMap((it) => listSet(inner, it)) : [];
    return [`${schema.typeName}.${field.name}`, ...names];
  });
}

/** Lists every field of text or free JSON that a file can hold, with its rule. */
function listRules(): string[] {
  const found = new Map<string, string>();
  const walk = ({ typeName, fields }: DescMessage): void => {
    if (typeName.startsWith("google.")) return;
    for (const field of fields) {
      const name = `${typeName}.${field.name}`;
      const rule = decideCopyRule(field);
      if (found.has(name)) continue;
      if (rule !== undefined || holdsText(field)) found.set(name, rule ?? "kept");
      if (field.message !== undefined) walk(field.message);
    }
  };
  for (const [kind, schema] of Object.entries(RECORD_SCHEMAS)) {
    if (isPartOfProject(kind as RecordKind) && kind !== "organization") walk(schema);
  }
  return [...found].map(([name, rule]) => `${name}\t${rule}`).sort();
}

function holdsText(field: DescField): boolean {
  return field.scalar === ScalarType.STRING || field.fieldKind === "map";
}

describe("a copy of the demo's project in the same database", () => {
  let fresh: FreshStore;
  let store: Store;
  let source = "";
  let copied = "";
  beforeAll(async () => {
    fresh = await openFresh("demo");
    store = fresh.store;
    source = await exportText(store, "worldcup");
    const { created, updated, unchanged } = await importCopy(store, source, "copy");
    expect([updated, unchanged, created > 3_000]).toEqual([0, 0, true]);
    copied = await exportText(store, "copy");
  });
  afterAll(() => fresh.close());

  const lines = (text: string) => text.trimEnd().split("\n");

  test("is the same but for its ids", () => {
    const back = copied
      .replaceAll("~copy", "")
      .replaceAll('"project_id":"copy"', '"project_id":"worldcup"')
      .replace('"project":{"id":"copy"', '"project":{"id":"worldcup"');
    expect(lines(back).sort()).toEqual(lines(source).sort());
  });

  test("names nothing of the project that it was made of, wherever ids stand", () => {
    const ids = new Set<string>();
    for (const line of lines(source)) {
      const { kind, id } = readNames(line);
      if (kind !== "organization") ids.add(id);
    }
    const words = lines(copied)
      .slice(1)
      .flatMap((line) => line.replaceAll(/https?:[^"]*/g, "").split(/[^\w.~-]+/));
    const left = new Set(words.filter((it) => ids.has(it) && /-/.test(it)));
    expect([...left]).toEqual([]);
  });

  test("is left alone when it is repeated", async () => {
    const again = await importCopy(store, source, "copy");
    expect([again.created, again.updated, again.unchanged > 3_000]).toEqual([0, 0, true]);
    expect(await exportText(store, "worldcup")).toBe(source);
  });
});

describe("a copy into a project that is there", () => {
  const LINES = [
    { organization: { id: "far", name: "Far" } },
    { project: { id: "p", organization_id: "far", name: "P" } },
    { event: { id: "e", project_id: "p", entity_ids: ["gone"] } },
    { page: { id: "home", projectId: "p", slug: "home" } },
    {
      page_component: {
        page_id: "home",
        page_component: {
          ...{ id: "b", project_id: "p", type: "event_player" },
          event_player: { query: { list: { filter: "id: e" }, order: "id" } },
        },
      },
    },
    {
      page_component: {
        page_id: "home",
        page_component: {
          ...{ id: "c", project_id: "p", type: "rail" },
          rail: { filter: "id: (e or f) and fields.home: e", see_all: { href: "/home?id=e#e" } },
        },
      },
    },
  ];

  /** A database with the organization `near` and its project `q`. */
  async function openNear() {
    const fresh = await openFresh();
    const near = [
      { organization: { id: "near", name: "Near" } },
      { project: { id: "q", organization_id: "near", name: "Q" } },
    ];
    await importText(fresh.store, toText(near));
    return fresh;
  }

  test("leaves out the organization and the project of the file", async () => {
    const { store, close } = await openNear();
    await importCopy(store, toText(LINES), "q");
    const got = (await exportText(store, "q"))
      .trimEnd()
      .split("\n")
      .map((it) => JSON.parse(it));
    expect(got).toEqual([
      { organization: { id: "near", name: "Near" } },
      { project: { id: "q", organization_id: "near", name: "Q" } },
      { event: { id: "e~q", project_id: "q", entity_ids: ["gone~q"] } },
      { page: { id: "home~q", project_id: "q", slug: "home" } },
      {
        page_component: {
          page_id: "home~q",
          page_component: {
            ...{ id: "b~q", project_id: "q", type: "event_player" },
            event_player: { query: { list: { filter: "id: e~q" }, order: "id" } },
          },
        },
      },
      {
        page_component: {
          page_id: "home~q",
          page_component: {
            ...{ id: "c~q", project_id: "q", type: "rail" },
            rail: {
              filter: "id: (e~q or f) and fields.home: e",
              see_all: { href: "/home?id=e~q#e" },
            },
          },
        },
      },
    ]);
    await close();
  });

  test.each<[string, readonly object[], string, RegExp]>([
    ["into itself", LINES, "p", /^line 2: project p cannot be copied into itself/],
    [
      "of two projects",
      [...LINES, { event: { id: "x", project_id: "r" } }],
      "q",
      /^line 7: event\.project_id: is r, but the copied project is p$/,
    ],
    [
      "with a binding",
      [...LINES, { role: { id: "r", organization_id: "near", name: "R" } }],
      "q",
      /^line 7: role: does not belong to a project/,
    ],
    ["into a new project", LINES, "new", /^line 2: organization far does not exist$/],
    ["into no project", LINES.slice(2), "new", /^line 1: project new does not exist$/],
  ])("%s is rejected with its line, and nothing is written", async (_, file, into, want) => {
    const { store, close } = await openNear();
    const before = await exportText(store, "q");
    await expect(async () => importCopy(store, toText(file), into)).rejects.toThrow(want);
    expect(await exportText(store, "q")).toBe(before);
    await close();
  });
});
