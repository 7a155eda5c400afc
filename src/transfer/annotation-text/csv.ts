import { create } from "@bufbuild/protobuf";
import { stringify } from "csv-stringify/sync";
import {
  type Annotation,
  AnnotationSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { quote } from "../../transcoding/quote.ts";
import { type AnnotationText, TextChecker } from "./annotation-text.ts";
import { type CsvRecord, readRecords } from "./csv-records.ts";
import { FIELD_NAMES, type FieldName, isFieldName, printField, readField } from "./fields.ts";
import { malformed } from "./malformed.ts";

/**
 * Parses annotations from CSV (RFC 4180), with or without a byte order mark. The first record names the
 * columns, in any order; missing columns and empty values leave their fields unset. Spaces belong to values.
 * Offsets are `hh:mm:ss.mmm`, `mm:ss` or seconds such as `75.5` and `75.5s`, each with up to nine decimals;
 * entity_ids are separated by `;` or a JSON array of strings; action_overrides is a JSON object.
 *
 * INVALID_ARGUMENT `CSV_MALFORMED` with the message `line N: column: fault` for misplaced quotes, an unknown or
 * duplicate column, a record of another length than the header, an invalid value and a duplicate id;
 * `OFFSET_INVALID` and `VALUE_OUT_OF_RANGE` as for an annotation in a request, prefixed by `line N: `.
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
  if (columns === undefined) throw refuse(1, `missing header; ${COLUMNS}`);
  return texts;
}

/**
 * Writes annotations as CSV in the given order: a header with every column, lines ending in LF, quotes doubled.
 * {@link parseCsv} restores them exactly. Values that spreadsheets interpret as formulas, which begin with `=`,
 * `+`, `-` or `@`, are therefore not escaped: import untrusted files into a spreadsheet with all columns as
 * text.
 */
export function printCsv(annotations: readonly Annotation[]): string {
  const records = annotations.map((it) => FIELD_NAMES.map((name) => printField(it, name)));
  return stringify([FIELD_NAMES, ...records]);
}

const COLUMNS = `the columns are ${FIELD_NAMES.join(", ")}`;

function readHeader({ line, values }: CsvRecord): readonly FieldName[] {
  const columns: FieldName[] = [];
  for (const name of values) {
    if (!isFieldName(name)) throw refuse(line, `unknown column; ${COLUMNS}`, quote(name));
    if (columns.includes(name)) throw refuse(line, "duplicate column", name);
    columns.push(name);
  }
  return columns;
}

function readRecord({ line, values }: CsvRecord, columns: readonly FieldName[]): AnnotationText {
  if (values.length !== columns.length) {
    throw refuse(line, `expected ${columns.length} values as in the header, got ${values.length}`);
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
