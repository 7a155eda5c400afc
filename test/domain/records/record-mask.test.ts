import { create, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import {
  applyRecordMask,
  MOST_PATHS,
  parseRecordMask,
} from "../../../src/domain/records/record-mask.ts";

const ALLOWED = ["content_type", "fields", "title"];
const parse = (text: string) => parseRecordMask(text, EventSchema, ALLOWED);

/** Returns the fields of an event after a record with a mask. */
function apply(mask: string, stored: JsonObject, sent: JsonObject): unknown {
  const [old, record] = [stored, sent].map((fields) => create(EventSchema, { fields }));
  const merged = applyRecordMask(EventSchema, old as never, record as never, parse(mask));
  return (merged as unknown as { readonly fields: JsonObject }).fields;
}

describe("a mask of a record", () => {
  test("copies each object once, whatever the number of paths below it", () => {
    const values = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`k${n}`, n]));
    let copies = 0;
    const counted = new Proxy(values, {
      ownKeys(target) {
        copies += 1;
        return Reflect.ownKeys(target);
      },
    });
    const stored = create(EventSchema, {});
    stored.fields = { home: counted };
    const sent = create(EventSchema, { fields: { home: { k0: "new" } } });
    const copiesWith = (paths: number) => {
      const mask = parse(Array.from({ length: paths }, (_, n) => `fields.home.k${n}`).join());
      copies = 0;
      applyRecordMask(EventSchema, stored, sent, mask);
      return copies;
    };
    expect(copiesWith(90)).toBe(copiesWith(1));
  });

  test("covers the paths below one of its paths, in any order", () => {
    const stored = { home: { goals: 0, code: "ESP" } };
    for (const mask of ["fields.home,fields.home.goals", "fields.home.goals,fields.home"]) {
      expect(apply(mask, stored, { home: { goals: 1 } })).toEqual({ home: { goals: 1 } });
      expect(apply(mask, stored, {})).toEqual({});
    }
    expect(apply("fields.home.goals,fields", stored, { away: 1 })).toEqual({ away: 1 });
  });

  test("creates an object only for a value that was sent", () => {
    expect(apply("fields.a.d", { a: 1 }, { a: { d: 2 } })).toEqual({ a: { d: 2 } });
    expect(apply("fields.a.b.c", { a: 1 }, { a: { b: { c: 2 } } })).toEqual({ a: { b: { c: 2 } } });
    expect(apply("fields.a.d", { a: { b: 1, d: 3 } }, {})).toEqual({ a: { b: 1 } });
  });

  test(`has at most ${MOST_PATHS} paths`, () => {
    const paths = (count: number) => Array.from({ length: count }, (_, n) => `fields.k${n}`).join();
    expect(parse(paths(MOST_PATHS)).paths).toHaveLength(MOST_PATHS);
    expect(() => parse(paths(MOST_PATHS + 1))).toThrow(
      expect.objectContaining({
        reason: "TOO_MANY_ITEMS",
        message: "fields_mask: must have at most 100 paths, not 101",
        metadata: { field: "fields_mask", size: "101", limit: "100" },
      }),
    );
  });

  test.each([
    [
      "fields.ratin",
      { rating: 1 },
      {},
      "'fields.ratin' names no value, sent or stored; did you mean 'rating'?",
    ],
    [
      "fields.ratin",
      {},
      { rating: 1 },
      "'fields.ratin' names no value, sent or stored; did you mean 'rating'?",
    ],
    ["fields.a.b", { a: 1 }, {}, "'fields.a.b' names no value, sent or stored"],
    ["fields.a,fields.score", { a: 1 }, { a: 2 }, "'fields.score' names no value, sent or stored"],
  ])("%s of %j by %j is rejected, because a path leads nowhere", (mask, stored, sent, want) => {
    expect(() => apply(mask, stored, sent)).toThrow(
      expect.objectContaining({ reason: "UPDATE_MASK_INVALID", message: `fields_mask: ${want}` }),
    );
  });

  test("writes one language of a map and keeps the others", () => {
    const stored = create(EventSchema, { title: { en: "Final", de: "Finale" } });
    const write = (mask: string, title: Record<string, string>) =>
      applyRecordMask(EventSchema, stored, create(EventSchema, { title }), parse(mask));
    expect(write("title.de", { de: "Endspiel", en: "x" })).toMatchObject({
      title: { en: "Final", de: "Endspiel" },
    });
    expect(write("title.fr", { fr: "Finale" })).toMatchObject({
      title: { en: "Final", de: "Finale", fr: "Finale" },
    });
    expect((write("title.de", {}) as unknown as typeof stored).title).toEqual({ en: "Final" });
    expect(() => write("title.fr", {})).toThrow("names no value");
    expect(() => write("title.de.x", {})).toThrow("is not a field that can be updated");
  });

  test("names its paths as they were sent, fields in snake_case and each once", () => {
    const { paths } = parse("contentType, fields.homeTeam,fields.homeTeam,content_type");
    expect(paths).toEqual(["content_type", "fields.homeTeam"]);
  });
});
