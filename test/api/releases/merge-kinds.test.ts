import { beforeAll, describe, expect, test } from "vitest";
import { ConflictPolicy } from "../../../gen/svc/type/v1/release_pb.ts";
import { isReleasable, KIND_NAMES } from "../../../src/domain/kinds.ts";
import { isRecordKind, RECORD_SCHEMAS } from "../../../src/domain/records/record.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { createFilledLines, PROJECT } from "../../transfer/filled-records.ts";
import { exportText, importText } from "../../transfer/transfer.ts";
import { listResources, type Resource } from "../resources.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

const marquee = await useMarquee();
const calls = new ReleaseCalls(marquee);
/** The project of the imported resources. */
const IMPORTS = "sandbox";

const KINDS = KIND_NAMES.filter(isReleasable).filter(isRecordKind);
/** The kinds that resources of these kinds refer to. */
const IMPORTED = ["video", "annotation_type", "action", ...KINDS];

/** The standard methods of each kind. */
const RESOURCES = new Map(
  listResources(marquee, "Connect POST").map(([, resource]) => [
    resource.noun.replace(/(?<=.)[A-Z]/g, "_$&").toLowerCase(),
    resource,
  ]),
);
const resourceOf = (kind: string): Resource => RESOURCES.get(kind) ?? expect.fail(kind);

beforeAll(async () => {
  const lines = createFilledLines().filter((line) =>
    IMPORTED.includes(Object.keys(JSON.parse(line))[0] ?? ""),
  );
  const text = lines.map((line) => `${line}\n`).join("");
  await importText(marquee.store, text.replaceAll(`"${PROJECT}"`, `"${IMPORTS}"`));
});

const revert = (changeId: string) => calls.call("POST", `cms/changes/v1/${changeId}:revert`, {});

/** Updates fields of a resource, current or in a release; fields without a value are cleared. */
function update(kind: string, id: string, names: readonly string[], values: object, more: object) {
  const resource = resourceOf(kind);
  const field = resource.method("Update")?.input.fields[1]?.localName ?? "";
  const message = { [resource.idField]: id, [field]: values, updateMask: names.join() };
  return resource.call("Update", { ...message, ...more });
}

/** Returns the resource of a response. */
const resourceIn = ({ json }: { json: object }) =>
  Object.values(json)[0] as Readonly<Record<string, unknown>>;

describe("every field that a draft clears merges with all others that were cleared since", () => {
  for (const kind of KINDS) {
    test(kind, async () => {
      const id = `${kind}-00`;
      const filled = resourceIn(await resourceOf(kind).get(id));
      const cleared: Record<string, unknown> = {};
      for (const { jsonName } of RECORD_SCHEMAS[kind].fields) {
        const got = await update(kind, id, [jsonName], {}, { validateOnly: true });
        const value = got.status === 200 ? resourceIn(got)[jsonName] : filled[jsonName];
        if (JSON.stringify(value) !== JSON.stringify(filled[jsonName])) cleared[jsonName] = value;
      }
      const names = Object.keys(cleared);
      expect(names.length).toBeGreaterThan(1);
      for (const name of names) {
        const others = names.filter((it) => it !== name);
        const releaseId = `one-${kind}-${name}`;
        await calls.createRelease(releaseId, { projectId: IMPORTS });
        expect((await update(kind, id, [name], {}, { releaseId })).status).toBe(200);
        expect((await update(kind, id, others, {}, {})).status).toBe(200);
        const current = await exportText(marquee.store, IMPORTS);
        const { items } = await calls.call("GET", `cms/releases/v1/${releaseId}/items`);
        expect([name, items[0].conflicts]).toEqual([name, []]);
        const { change_id } = await calls.applied(releaseId);
        const applied = resourceIn(await resourceOf(kind).get(id));
        expect(names.map((it) => applied[it])).toEqual(Object.values(cleared));
        await revert(change_id);
        expect(await exportText(marquee.store, IMPORTS)).toBe(current);
        const values = Object.fromEntries(others.map((it) => [it, filled[it]]));
        expect((await update(kind, id, others, values, {})).status).toBe(200);
      }
    });
  }
});

/** Returns a third value of a field. */
function toThird(value: unknown): unknown {
  if (typeof value === "string") {
    return value.startsWith("VISIBILITY_")
      ? "VISIBILITY_HIDDEN"
      : `${value} in the current version`;
  }
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value)) return value.map(toThird);
  const entries = Object.entries(value as object);
  return Object.fromEntries(entries.map(([key, it]) => [key, toThird(it)]));
}

const exportDemo = () => exportText(marquee.store, DEMO.projectId);

test("a release that wins every conflict of every kind, and its undo, leave the export as it was", async () => {
  const made: Record<string, Record<string, string>> = {};
  for (const kind of KINDS) {
    const ids: Record<string, string> = {};
    for (const name of ["changed", "deleted", "gone"]) {
      const { id, got } = await resourceOf(kind).create();
      expect([kind, got.status]).toEqual([kind, 200]);
      ids[name] = id;
    }
    made[kind] = ids;
  }
  const releaseId = "wins";
  await calls.createRelease(releaseId, { conflictPolicy: ConflictPolicy.RELEASE_WINS });
  for (const kind of KINDS) {
    const { changed = "", deleted = "", gone = "" } = made[kind] ?? {};
    const resource = resourceOf(kind);
    const change = resource.body.change ?? {};
    const [names, third] = [Object.keys(change), toThird(change) as object];
    const drafts = [
      await update(kind, changed, names, change, { releaseId }),
      await update(kind, gone, names, change, { releaseId }),
      await resource.call("Delete", { [resource.idField]: deleted, releaseId }),
    ];
    const created = await resource.create({ releaseId });
    const lives = [
      await update(kind, changed, names, third, {}),
      await update(kind, deleted, names, third, {}),
      await resource.delete(gone),
      (await resource.create({ [resource.idField]: created.id })).got,
      await update(kind, created.id, names, third, {}),
    ];
    const statuses = [...drafts, created.got, ...lives].map(({ status, text }) =>
      status === 200 ? 200 : text,
    );
    expect([kind, statuses]).toEqual([kind, statuses.map(() => 200)]);
  }
  expect(await calls.getRelease(releaseId)).toMatchObject({
    item_count: 4 * KINDS.length,
    conflict_count: 4 * KINDS.length,
  });
  const current = await exportDemo();
  const { change_id } = await calls.applied(releaseId);
  expect(await exportDemo()).not.toBe(current);
  await revert(change_id);
  expect(await exportDemo()).toBe(current);
});
