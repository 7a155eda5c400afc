import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { access } from "../../../gen/svc/options/v1/access_pb.ts";
import { isReadOnly } from "../../../src/domain/access/roles.ts";
import { isUndoable, KIND_NAMES } from "../../../src/domain/kinds.ts";
import { EXPORTED_KINDS } from "../../../src/domain/records/record.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { exportText } from "../../transfer/transfer.ts";
import { sampleOf } from "../method-samples.ts";
import { callConnect, findMethods, type JsonMessage, procedureOf } from "../methods.ts";
import { ReleaseCalls } from "../releases/releases.ts";
import { listResources, type Resource } from "../resources.ts";

const marquee = await useMarquee();

const calls = new ReleaseCalls(marquee);
/** What is exported and can be taken back. */
const KINDS = EXPORTED_KINDS.filter(isUndoable);

/** Returns the text of an export of some kinds, and the webhooks, which it omits. */
const exportAll = async (kinds = KINDS) => {
  const { webhooks } = await calls.call(
    "GET",
    "cms/webhooks/v1?project_id=worldcup&page_size=1000",
  );
  const lines = webhooks.map((it: object) => `${JSON.stringify(it)}\n`);
  return (await exportText(marquee.store, "worldcup", { kinds })) + lines.join("");
};
const exportLines = async () => new Set((await exportAll()).split("\n"));
/** Lists the lines of an export that another one lacks. */
const without = (lines: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...lines].filter((line) => !others.has(line));
const expectLines = async (want: ReadonlySet<string>) => {
  const got = await exportLines();
  expect([without(got, want), without(want, got)]).toEqual([[], []]);
};

/** Returns the kind of a resource by its noun, such as `page_component` for `PageComponent`. */
const kindOfNoun = (noun: string) => noun.replace(/(?<=.)[A-Z]/g, "_$&").toLowerCase();

const resources = listResources(marquee)
  .filter(([, { noun }]) => isUndoable(kindOfNoun(noun)))
  .map(([, resource]) => resource);

test("every kind that can be taken back is walked", () => {
  const kinds = resources.map(({ noun }) => kindOfNoun(noun)).sort();
  expect(kinds).toEqual(KIND_NAMES.filter(isUndoable).sort());
});

test("writes of every kind that are taken back leave the export as it was", async () => {
  const before = await exportLines();
  const made: (readonly [Resource, id: string])[] = [];
  for (const resource of resources) made.push([resource, (await resource.create()).id]);
  const keys = made.map(([{ noun }, id]) => `${kindOfNoun(noun)}:${id}`);
  const created = await exportLines();
  expect(created.size).toBe(before.size + made.length);
  for (const [resource, id] of made) await resource.update(id);
  const updated = await exportLines();
  expect(without(updated, created)).toHaveLength(made.length);

  for (const key of keys) await calls.undo(key);
  await expectLines(created);
  for (const key of keys) await calls.undo(key);
  await expectLines(updated);
  for (const [resource, id] of made) await resource.delete(id);
  await expectLines(before);
  for (const key of keys.toReversed()) await calls.undo(key);
  await expectLines(updated);
  for (const resource of resources) {
    const { id } = await resource.create();
    await calls.undo(`${kindOfNoun(resource.noun)}:${id}`);
  }
  await expectLines(updated);
});

/** The methods that write several kinds. */
const OF_KINDS = ["ApplyRelease", "RevertChange", "WriteRecords"];

/** The methods that write what can be taken back; secrets are no part of the history. */
const WRITES = (await findMethods()).filter((method) => {
  const { rule } = getOption(method, access);
  const kind = method.parent.typeName.split(".")[3] ?? "";
  const isWrite = rule.case === "permission" && !isReadOnly(rule.value.name);
  const isOfKind = isUndoable(kind) && !method.name.startsWith("Rotate");
  return isWrite && (isOfKind || OF_KINDS.includes(method.name));
});

/** The requests that change more than the samples: pages with components, and one between others. */
const REQUESTS: Readonly<Record<string, JsonMessage>> = {
  DeletePage: { pageId: "page-match", force: true },
  DeletePageComponent: { pageComponentId: "rail-match-players" },
  ReorderPageComponents: {
    pageId: "page-match",
    pageComponentIds: (
      await marquee.store.in("org-worldcup").pageComponents.listPlaces("page-match")
    )
      .map(({ id }) => id)
      .toReversed(),
  },
};

test("more methods are walked than create, update and delete", () => {
  const names = WRITES.map(({ name }) => name).filter((it) => !/^(Create|Update|Delete)/.test(it));
  expect(names.sort()).toEqual(
    [...OF_KINDS, "ReorderPageComponents", "SetAnnotationVisibility"].sort(),
  );
});

const SAMPLES: (readonly [name: string, method: DescMethod, message: JsonMessage])[] = [];
for (const method of WRITES) {
  SAMPLES.push([method.name, method, REQUESTS[method.name] ?? (await sampleOf(marquee, method))]);
}

describe("taken back", () => {
  let before: string;
  beforeAll(async () => {
    before = await exportAll();
  });

  test.each(SAMPLES)(
    "%s leaves the export of its kind as it was",
    async (_name, method, message) => {
      // The samples of the methods of several kinds write events.
      const isOfKinds = OF_KINDS.includes(method.name);
      const kind = isOfKinds ? "event" : method.parent.typeName.split(".")[3];
      const kinds = KINDS.filter((it) => it === kind);
      const ofKind = await exportAll(kinds);
      const got = await callConnect(marquee.url, method, message, marquee.tokens.owner);
      expect([got.status, got.text]).toEqual([200, expect.anything()]);
      const { changes } = await calls.call("GET", "cms/changes/v1?project_id=worldcup&page_size=1");
      expect(changes[0]).toMatchObject({ method: procedureOf(method) });
      await calls.call("POST", `cms/changes/v1/${changes[0].id}:revert`, {});
      expect(await exportAll(kinds)).toBe(ofKind);
    },
  );

  test("all of them leave the export of every kind as it was", async () => {
    expect(await exportAll()).toBe(before);
  });
});
