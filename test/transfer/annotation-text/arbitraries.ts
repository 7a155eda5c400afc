import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import {
  type Annotation,
  AnnotationSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";

const MAX_SECONDS = 315_576_000_000n;

/** Text with everything that a format might stumble over. */
const words = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        ..."\r|\n|\r\n|\n\n| |\t|\0|\ufeff|,|;|\"|'|-->|NOTE|STYLE|&|&lt;|&amp;|<b>|<|>|[|]|=1|a|é|🥅".split(
          "|",
        ),
      ),
      { maxLength: 8 },
    )
    .map((it) => it.join("")),
);

const seconds = fc.oneof(
  fc.bigInt({ min: 0n, max: 5n }),
  fc.bigInt({ min: 0n, max: 20_000n }),
  fc.bigInt({ min: 0n, max: MAX_SECONDS }),
  fc.constant(MAX_SECONDS),
);
const nanos = fc.oneof(
  fc.constantFrom(0, 1, 999_999_999, 1_000_000, 999_999, 500_000_000, 499_999_999),
  fc.integer({ min: 0, max: 999 }).map((it) => it * 1_000_000),
  fc.integer({ min: 0, max: 999_999_999 }),
);
const offset = fc.option(fc.record({ seconds, nanos }), { nil: undefined });

/** JSON writes -0 as 0, and so does the service. */
const overrides = fc.dictionary(
  words,
  fc
    .jsonValue()
    .map((it) => JSON.parse(JSON.stringify(it)))
    .filter((it) => JSON.stringify(it).isWellFormed()),
  { maxKeys: 3 },
);

/** An annotation as the service may have it, with the fields that a text holds. */
export const annotation: fc.Arbitrary<Annotation> = fc
  .record({
    typeId: words,
    offset,
    startOffset: offset,
    endOffset: offset,
    timerLabel: words,
    confidence: fc.oneof(
      fc.constantFrom(0, -0, 0.1, 1, 5e-324, Number.MAX_VALUE, 1e21),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    ),
    order: fc.oneof(
      fc.bigInt({ min: -2n, max: 2n }),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n),
    ),
    eventId: words,
    creativeWorkId: words,
    entityIds: fc.array(words, { maxLength: 3 }),
    sourceId: words,
    actionOverrides: fc.option(overrides, { nil: undefined }),
  })
  .map(({ actionOverrides, offset: at, startOffset, endOffset, ...more }) => {
    const [start, end] = sortOffsets(startOffset, endOffset);
    return create(AnnotationSchema, {
      ...more,
      ...(at && { offset: at }),
      ...(start && { startOffset: start }),
      ...(end && { endOffset: end }),
      ...(actionOverrides && { actionOverrides }),
    });
  });

/** Annotations of one video: no id that is set is there twice. */
export const annotations: fc.Arbitrary<Annotation[]> = fc
  .tuple(
    fc.array(annotation, { maxLength: 6 }),
    fc.uniqueArray(words, { minLength: 6, maxLength: 6 }),
  )
  .map(([items, ids]) => items.map((it, at) => ({ ...it, id: ids[at] ?? "" })));

type Offset = { readonly seconds: bigint; readonly nanos: number } | undefined;

function sortOffsets(start: Offset, end: Offset): readonly [Offset, Offset] {
  if (!start || !end) return [start, end];
  const isSorted =
    start.seconds < end.seconds || (start.seconds === end.seconds && start.nanos <= end.nanos);
  return isSorted ? [start, end] : [end, start];
}
