import { create } from "@bufbuild/protobuf";
import { stringify } from "csv-stringify/sync";
import {
  type Annotation,
  AnnotationSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { AnnotationText } from "./annotation-text.ts";
import { type CsvRecord, readRecords } from "./csv-records.ts";
import { FIELD_NAMES, type FieldName, isFieldName, printField, readField } from "./fields.ts";
import { malformed, quote } from "./malformed.ts";
import { TextChecker } from "./text-checker.ts";

/**
 * Parses annotations from CSV of RFC 4180, with or without a byte order mark. The first record names
 * the columns, in any order; a column that is left out and an empty value leave their field unset.
 * Values are taken as they are, blanks too. The forms: offsets `hh:mm:ss.mmm`, `mm:ss` or seconds as
 * `75.5` and `75.5s`, each with up to nine digits behind the point; entity_ids with `;` between them
 * or a JSON array of strings; action_overrides a JSON object.
 *
 * INVALID_ARGUMENT `CSV_MALFORMED`, message `line N: column: why`, for broken quotes, an unknown or
 * repeated column, a record of another length than the header, a broken value and an id that is there
 * twice; `OFFSET_INVALID` and `VALUE_OUT_OF_RANGE` as for an annotation of a request, after `line N: `.
 */
export function parseCsv(text: string): AnnotationText[] {
  const texts: AnnotationText[] = [];
  let columns: readonly FieldName[] | undefined;
  const checker = new TextChecker("CSV_MALFORMED");
  readRecords(
    text,
    (record) => {
      if (columns === undefined) {
        columns = readHeader(record);
        return;
      }
      const text = readRecord(record, columns);
      checker.check(text);
      texts.push(text);
    },
    (place) => columns?.[place],
  );
  if (columns === undefined) throw refuse(1, `the header is missing; ${COLUMNS}`);
  return texts;
}

/**
 * Writes annotations as CSV, in the order given: a header with every column, LF at the end of a line,
 * `""` for a quote. {@link parseCsv} gives them back exactly. For that, a value that a spreadsheet
 * takes for a formula, one that begins with `=`, `+`, `-` or `@`, stays as it is: who opens the text
 * of a stranger in a spreadsheet has to import the columns as text.
 */
export function printCsv(annotations: readonly Annotation[]): string {
  const records = annotations.map((it) => FIELD_NAMES.map((name) => printField(it, name)));
  return stringify([FIELD_NAMES, ...records]);
}

const COLUMNS = `the columns are ${FIELD_NAMES.join(", ")}`;

function readHeader({ line, values }: CsvRecord): readonly FieldName[] {
  const columns: FieldName[] = [];
  for (const name of values) {
    if (!isFieldName(name)) throw refuse(line, `the column is unknown; ${COLUMNS}`, quote(name));
    if (columns.includes(name)) throw refuse(line, "the column is there twice", name);
    columns.push(name);
  }
  return columns;
}

function readRecord({ line, values }: CsvRecord, columns: readonly FieldName[]): AnnotationText {
  if (values.length !== columns.length) {
    throw refuse(line, `it has ${values.length} values, and the header ${columns.length}`);
  }
  const annotation = create(AnnotationSchema);
  for (const [place, name] of columns.entries()) {
    readField(annotation, name, values[place] ?? "", line, "CSV_MALFORMED");
  }
  return { line, annotation };
}

function refuse(line: number, why: string, column?: string) {
  return malformed("CSV_MALFORMED", line, why, column);
}
