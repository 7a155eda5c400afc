import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { ProjectSchema } from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import { readPlain } from "../../../src/transfer/import/read-plain.ts";

const text = fc.constantFrom("", "Final", "Über uns", "\ud800", "a\u0000b", "__proto__");
const time = fc.constantFrom(
  ...["2026-06-11T18:00:00Z", "2024-02-29T23:59:59Z", "1969-12-31T00:00:01Z"],
  ...["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z"],
  ...["2026-02-29T00:00:00Z", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z"],
  ...["2026-06-31T00:00:00Z", "2026-06-32T00:00:00Z", "2026-00-10T00:00:00Z"],
  ...["2026-06-11T24:00:00Z", "2026-06-11T23:59:60Z", "2026-06-11T18:00:00.5Z"],
  ...["2026-06-11T18:00:00+02:00", "2026-06-11t18:00:00z", "2026-06-11"],
);
const number = fc.constantFrom(0, -0, 1.5, 12, 1e300);
const free = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    number,
    fc.constantFrom(true, null),
    fc.array(tie("value"), { maxLength: 2 }),
    tie("object"),
  ),
  object: fc.dictionary(text, tie("value"), { maxKeys: 3 }),
})).object;
const texts = fc.array(text, { maxLength: 3 });
const textMap = fc.dictionary(text, text, { maxKeys: 3 });
const visibility = fc.constantFrom(
  "VISIBILITY_PUBLISHED",
  "VISIBILITY_UNSPECIFIED",
  "PUBLIC",
  1,
  7,
);
const fieldValues: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...{ id: text, projectId: text, contentType: text, content_type: text, unknown: text },
  ...{ title: textMap, description: textMap, entityIds: texts, videoIds: texts },
  ...{ visibility, startTime: time, createTime: time, fields: free },
};
/** Some fields, each mostly with a value of its type. */
const events = fc
  .array(
    fc.oneof(
      ...Object.entries(fieldValues).map(([name, value]) =>
        fc.tuple(
          fc.constant(name),
          fc.oneof({ weight: 9, arbitrary: value }, fc.oneof(free, texts, number)),
        ),
      ),
    ),
    { maxLength: 4 },
  )
  .map((entries) => Object.fromEntries(entries));

function readBoth(json: unknown) {
  // Own properties named `__proto__` are those of a parsed text.
  const line = JSON.stringify(json);
  const plain = readPlain(EventSchema, JSON.parse(line) as JsonValue);
  try {
    return { plain, general: fromJson(EventSchema, JSON.parse(line) as JsonValue) };
  } catch {
    return { plain, general: undefined };
  }
}

test("what is read as plain is what fromJson reads, which alone refuses anything", () => {
  let taken = 0;
  fc.assert(
    fc.property(events, (json) => {
      const { plain, general } = readBoth(json);
      if (plain === undefined) return;
      taken += 1;
      expect(plain).toStrictEqual(general);
    }),
    { numRuns: 1_000 },
  );
  expect(taken).toBeGreaterThan(100);
});

test("each form of a time is read as by fromJson, or not at all", () => {
  for (const startTime of [
    "2024-02-29T23:59:59Z",
    "1969-12-31T00:00:01Z",
    "9999-12-31T23:59:59Z",
  ]) {
    const { plain, general } = readBoth({ startTime });
    expect(plain, startTime).toStrictEqual(general);
    expect(plain, startTime).toBeDefined();
  }
  for (const startTime of fc.sample(time, 100)) {
    const { plain, general } = readBoth({ startTime });
    expect(plain ?? general, startTime).toStrictEqual(general);
  }
});

test("free JSON that is deeper than fromJson may read, and messages of other fields, are left to it", () => {
  const nest = (levels: number): unknown => (levels === 0 ? 1 : { a: nest(levels - 1) });
  expect(readBoth({ fields: nest(10) }).plain).toBeDefined();
  expect(readBoth({ fields: nest(200) }).plain).toBeUndefined();
  expect(readPlain(ProjectSchema, { id: "p", quotas: { items: "1" } })).toBeUndefined();
  expect(readPlain(EventSchema, ["id"])).toBeUndefined();
});
