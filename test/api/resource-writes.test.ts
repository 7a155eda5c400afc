import { describe, expect, test } from "vitest";
import { findWriteFields } from "../../src/api/steps/request-fields.ts";
import { metadataOf, reasonOf, rejection } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { sampleOf } from "./method-samples.ts";
import { callConnect, findMethods, procedureOf } from "./methods.ts";
import { parentOf } from "./resource-bodies.ts";
import { listResources } from "./resources.ts";
import { callRest } from "./studio.ts";

const marquee = await useMarquee();
const RESOURCES = listResources(marquee);
const CHANGEABLE = RESOURCES.filter(([, it]) => it.body.change);

test("every resource takes part", () => {
  expect(RESOURCES.length).toBeGreaterThanOrEqual(20);
  expect(CHANGEABLE.length).toBeGreaterThanOrEqual(12);
});

describe("with If-Match", () => {
  for (const [name, resource] of RESOURCES) {
    test(`a new ${name} is a mismatch, and is not created`, async () => {
      for (const tag of ['"other"', "*"]) {
        const { id, got } = await resource.create({}, { "if-match": tag });
        expect(rejection(got)).toEqual([409, "ETAG_MISMATCH"]);
        expect((await resource.get(id)).status).toBe(404);
      }
    });

    test(`${name} is written with its current tag only`, async () => {
      const { id, got } = await resource.create();
      expect(got.status, got.text).toBe(200);
      const first = got.headers.get("etag") ?? "";
      expect(first).toMatch(/^"[^"]+"$/);
      expect((await resource.get(id)).headers.get("etag")).toBe(first);
      const calls = [
        ...(resource.body.change
          ? [(tag: string) => resource.update(id, { "if-match": tag })]
          : []),
        ...(resource.method("Delete")
          ? [(tag: string) => resource.delete(id, { "if-match": tag })]
          : []),
      ];
      let tag = first;
      for (const write of calls) {
        const before = await resource.get(id);
        for (const other of [...(tag === first ? [] : [first]), '"other"', `W/${tag}`]) {
          const rejected = await write(other);
          expect(rejection(rejected)).toEqual([409, "ETAG_MISMATCH"]);
          expect(metadataOf(rejected)?.etag).toBe(tag);
        }
        expect(rejection(await write("other"))).toEqual([400, "IF_MATCH_MALFORMED"]);
        expect((await resource.get(id)).text).toBe(before.text);
        const written = await write(`"a", ${tag}`);
        expect(written.status, written.text).toBe(200);
        const next = written.headers.get("etag");
        expect(next).not.toBe(tag);
        tag = next ?? tag;
      }
    });
  }
});

describe("with If-None-Match", () => {
  for (const [name, resource] of RESOURCES.filter(([name]) => name.endsWith("REST"))) {
    test(`${name} is given again only when it is another`, async () => {
      const { id, got } = await resource.create();
      const tag = got.headers.get("etag") ?? "";
      for (const same of [tag, `W/${tag}`, "*"]) {
        const unchanged = await resource.get(id, { "if-none-match": same });
        expect([unchanged.status, unchanged.text, unchanged.headers.get("etag")]).toEqual([
          ...[304, "", tag],
        ]);
      }
      expect((await resource.get(id, { "if-none-match": '"other"' })).status).toBe(200);
    });
  }
});

describe("with a request id", () => {
  for (const [index, [name, resource]] of RESOURCES.entries()) {
    test(`${name} is created once, and returned the same`, async () => {
      const requestId = `request-${index}`;
      const { id, got } = await resource.create({ requestId });
      const again = await resource.create({ requestId, [resource.idField]: id, ...slugOf(id) });
      expect([got.status, again.got.status, again.got.text]).toEqual([200, 200, got.text]);
      for (const header of ["etag", "marquee-warnings"]) {
        expect(again.got.headers.get(header)).toBe(got.headers.get(header));
      }
      const other = await resource.create({ requestId });
      expect([other.got.status, reasonOf(other.got)]).toEqual([409, "REQUEST_ID_REUSED"]);
    });

    function slugOf(slug: string) {
      return resource.noun === "Page" ? { page: { ...resource.body.resource, slug } } : {};
    }
  }
});

describe("an update", () => {
  test.each(CHANGEABLE)(
    "of %s changes what its mask names, and again nothing",
    async (_, resource) => {
      const { id } = await resource.create();
      const [before] = Object.values((await resource.get(id)).json);
      const got = await resource.update(id);
      const [after] = Object.values(got.json);
      const [read] = Object.values((await resource.get(id)).json);
      expect(read).toEqual(after);
      const changed = Object.keys(resource.body.change ?? {}).flatMap((key) => [
        ...[key, key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)],
      ]);
      expect(without(after, changed)).toEqual(without(before, changed));
      expect(after).not.toEqual(before);
      const again = await resource.update(id);
      expect([again.status, again.text]).toEqual([200, got.text]);
      expect(again.headers.get("etag")).toBe(got.headers.get("etag"));
    },
  );
});

/** The methods that set what they are sent, whatever it was before. */
const SETTING = (await findMethods()).filter(
  (method) =>
    findWriteFields(method) &&
    /^(?:Cancel|Capture|Refund|Reorder|Revoke|Set|Update)/.test(method.name),
);

describe("what is sent again", () => {
  test("is more than standard updates", () => {
    const names = SETTING.map(({ name }) => name).filter((name) => !name.startsWith("Update"));
    expect(names).toHaveLength(6);
  });

  test.each(SETTING.map((method) => [procedureOf(method), method] as const))(
    "to %s changes nothing, not even the history",
    async (_, method) => {
      const message = await sampleOf(marquee, method);
      const write = () => callConnect(marquee.url, method, message, marquee.tokens.owner);
      const listChanges = async () =>
        (await callRest(marquee, "GET", "cms/changes/v1?project_id=worldcup")).text;
      const first = await write();
      const changes = await listChanges();
      const again = await write();
      expect([again.status, again.text]).toEqual([200, first.text]);
      expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
      expect(await listChanges()).toBe(changes);
    },
  );
});

describe("an update mask", () => {
  for (const [name, resource] of CHANGEABLE) {
    test(`of ${name} names neither its id, its parent and its times, nor everything`, async () => {
      const { id } = await resource.create();
      const before = await resource.get(id);
      const parent = Object.keys(parentOf(resource.body)).find((it) => it !== "pageId");
      for (const path of ["id", parent ?? "id", "createTime", "*", ""]) {
        const field = resource.method("Update")?.input.fields[1]?.localName ?? "";
        const message = { [resource.idField]: id, [field]: resource.body.change, updateMask: path };
        const got = await resource.call("Update", message);
        expect([path, got.status, reasonOf(got)]).toEqual([path, 400, "UPDATE_MASK_INVALID"]);
      }
      expect((await resource.get(id)).text).toBe(before.text);
    });
  }
});

function without(value: unknown, names: readonly string[]) {
  const own = [...names, "updateTime", "update_time"];
  return Object.fromEntries(Object.entries(value as object).filter(([it]) => !own.includes(it)));
}
