import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { CsvError, type InfoRecord, parse } from "csv-parse";
import { Code, DomainError } from "../domain/base/errors.ts";
import { checkField, invalidField } from "../domain/base/field-errors.ts";
import { clip, quote } from "../domain/base/text.ts";
import { blameLine } from "../domain/records/line-error.ts";
import { RECORD_SCHEMAS, type RecordKind } from "../domain/records/record.ts";
import { MAX_DEPTH } from "../protojson/read-json.ts";
import { fieldsByName, suggest } from "../protojson/read-message.ts";
import { LINE_LIMIT, type Line } from "./line-splitter.ts";

/** A table of records of one kind, a row each. */
export interface CsvTable {
  readonly kind: RecordKind;
  /** The path of the field that a column sets, such as `title.en`, by the name of the column; empty: none. */
  readonly columns: ReadonlyMap<string, string>;
  /** The cells of fields that are the same in every row, by the path of the field. */
  readonly constants: ReadonlyMap<string, string>;
}

/** The number of rows read at a time. */
const PORTION = 500;

/**
 * Reads CSV as the lines of an import, some rows at a time. The file is UTF-8, and begins with the names of the columns,
 * which are separated by commas, semicolons or tabs. A column sets the field of its name unless the table has another.
 * An empty cell sets nothing.
 * INVALID_ARGUMENT with the line of the row's end: `LINE_INVALID`, `FIELD_UNKNOWN`, `FIELD_DUPLICATE`, `JSON_TOO_DEEP`;
 * `TEXT_INVALID`.
 */
export async function* readCsvLines(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  table: CsvTable,
): AsyncGenerator<readonly Line[]> {
  const { separator, texts } = await findSeparator(decode(source));
  const parser = parse({
    bom: true,
    delimiter: separator,
    info: true,
    // The parser compares the length before it adds a byte.
    max_record_size: LINE_LIMIT - 1,
    // Checked below, for an error with both numbers.
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // An error of the source ends the rows, too.
  pipeline(Readable.from(texts), parser).catch(() => {});
  const rows: AsyncIterable<{ record: readonly string[]; info: InfoRecord }> = parser;
  let fields: readonly CellField[] | undefined;
  let width = 0;
  let lines: Line[] = [];
  try {
    for await (const { record, info } of rows) {
      if (fields === undefined) {
        try {
          fields = openFields(table, record);
        } catch (error) {
          throw blameLine(1, error);
        }
        width = record.length;
        continue;
      }
      if (record.length !== width) {
        const cells = `${width}, not ${record.length}`;
        const error = invalidLine(`the row must have as many cells as the header, ${cells}`);
        throw blameLine(info.lines, error);
      }
      lines.push({ number: info.lines, text: toRecord(table.kind, fields, record) });
      if (lines.length < PORTION) continue;
      yield lines;
      lines = [];
    }
    if (fields === undefined) throw blameLine(1, invalidLine("expected the names of the columns"));
  } catch (cause) {
    if (cause instanceof CsvError) throw blameLine(Number(cause.lines), toDomainError(cause));
    throw cause;
  }
  yield lines;
}

const SEPARATORS = [",", ";", "\t"];

/** Finds the separator that is most often in the first line, outside of quotes. Returns all texts of the file with it. */
async function findSeparator(
  pieces: AsyncGenerator<string>,
): Promise<{ readonly separator: string; readonly texts: AsyncGenerator<string> }> {
  let start = "";
  for (;;) {
    const { value = "", done } = await pieces.next();
    start += value;
    const hasLine = value.includes("\n") && start.trimStart().includes("\n");
    if (done || hasLine || start.length > LINE_LIMIT) break;
  }
  async function* readAll(): AsyncGenerator<string> {
    yield start;
    yield* pieces;
  }
  const [line = ""] = start.trimStart().split("\n", 1);
  const unquoted = line.replace(/"[^"]*"/g, "");
  const count = (separator: string) => unquoted.split(separator).length;
  const [separator = ","] = SEPARATORS.toSorted((a, b) => count(b) - count(a));
  return { separator, texts: readAll() };
}

async function* decode(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    for await (const piece of source) yield decoder.decode(piece, { stream: true });
    yield decoder.decode();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new DomainError(Code.INVALID_ARGUMENT, "TEXT_INVALID", "the text is not UTF-8");
  }
}

/** A field that the rows set. */
interface CellField {
  readonly path: readonly string[];
  readonly type: CellType;
  readonly readCell: (row: readonly string[]) => string;
}

/** The form of a cell; a `list` has `|` between its items. */
type CellType = "boolean" | "json" | "list" | "text";

/** Finds the fields that the columns of a header and the constants of a table set. */
function openFields(
  { kind, columns, constants }: CsvTable,
  header: readonly string[],
): readonly CellField[] {
  const names = header.map((name) => name.trim());
  const missing = [...columns.keys()].find((name) => !names.includes(name));
  if (missing !== undefined) {
    throw invalidLine(`no column ${quote(missing)}; ${suggest(missing, names)}`);
  }
  const cells = [
    ...names.map((name, index) => ({
      target: columns.get(name) ?? name,
      readCell: (row: readonly string[]) => row[index] ?? "",
    })),
    ...[...constants].map(([target, value]) => ({ target, readCell: () => value })),
  ].filter(({ target }) => target !== "");
  checkTargets(
    kind,
    cells.map(({ target }) => target),
  );
  return cells.map(({ target, readCell }) => {
    const path = target.split(".");
    return { path, type: typeOf(RECORD_SCHEMAS[kind], path, kind), readCell };
  });
}

/** Checks that no field is set twice, together with a field above it, or deeper than a message nests. */
function checkTargets(kind: RecordKind, targets: readonly string[]): void {
  const checked = new Set<string>();
  /** The first field that is set at each path or below it. */
  const within = new Map<string, string>();
  for (const target of targets) {
    const names = target.split(".");
    const field = `${kind}.${clip(target)}`;
    const isFlat = names.length <= MAX_DEPTH;
    checkField(isFlat, field, "JSON_TOO_DEEP", `nests deeper than ${MAX_DEPTH} levels`);
    const paths = names.map((_, index) => names.slice(0, index + 1).join("."));
    const other = within.get(target) ?? paths.find((path) => checked.has(path));
    if (other !== undefined) {
      const description = `also set by the column of ${clip(other)}`;
      throw invalidField(field, "FIELD_DUPLICATE", description);
    }
    checked.add(target);
    for (const path of paths) if (!within.has(path)) within.set(path, target);
  }
}

/** Returns the type of the cells that set a field. INVALID_ARGUMENT `FIELD_UNKNOWN` for an unknown field. */
function typeOf(desc: DescMessage, [name = "", ...rest]: readonly string[], at: string): CellType {
  const field = fieldsByName(desc).get(name);
  if (field === undefined) {
    const names = desc.fields.map((it) => it.name);
    const description = `no field ${quote(name)}, so --columns must map it; ${suggest(name, names)}`;
    throw invalidField(`${at}.${name}`, "FIELD_UNKNOWN", description);
  }
  const { message } = field;
  if (field.fieldKind === "map" && rest.length === 0) {
    const description = `a map has no value of its own; did you mean ${quote(`${name}.en`)}?`;
    throw invalidField(`${at}.${name}`, "FIELD_UNKNOWN", description);
  }
  if (field.fieldKind === "list") return "list";
  if (field.scalar === ScalarType.BOOL || message?.typeName === "google.protobuf.BoolValue") {
    return "boolean";
  }
  if (field.fieldKind !== "message" || message === undefined) return "text";
  if (["google.protobuf.Struct", "google.protobuf.Value"].includes(message.typeName)) return "json";
  if (rest.length === 0 || message.typeName.startsWith("google.protobuf.")) return "text";
  return typeOf(message, rest, `${at}.${name}`);
}

/** Writes a row as the JSON of a record. */
function toRecord(kind: RecordKind, fields: readonly CellField[], row: readonly string[]): string {
  // Without prototypes, because the file chooses the names.
  const resource: JsonObject = Object.create(null);
  for (const { path, type, readCell } of fields) {
    const cell = readCell(row);
    if (cell !== "") setMember(resource, path, toJson(type, cell));
  }
  return JSON.stringify({ [kind]: resource });
}

interface JsonObject {
  [name: string]: unknown;
}

function setMember(
  object: JsonObject,
  [name = "", ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) {
    object[name] = value;
    return;
  }
  object[name] ??= Object.create(null);
  setMember(object[name] as JsonObject, rest, value);
}

function toJson(type: CellType, cell: string): unknown {
  switch (type) {
    case "boolean":
      return readBoolean(cell) ?? cell;
    case "list":
      return cell
        .split("|")
        .map((item) => item.trim())
        .filter((item) => item !== "");
    case "json":
      return readBoolean(cell) ?? readFreeCell(cell);
    case "text":
      return cell;
    default:
      return type satisfies never;
  }
}

/** Reads `true` or `false`, which spreadsheets write as `TRUE` and `FALSE`; undefined for any other cell. */
function readBoolean(cell: string): boolean | undefined {
  return /^(true|false)$/i.test(cell) ? cell.toLowerCase() === "true" : undefined;
}

/** Reads a number, a list or an object of free JSON. Any other cell is a text. */
function readFreeCell(cell: string): unknown {
  if (!/^[-\d[{]/.test(cell)) return cell;
  try {
    const json: unknown = JSON.parse(cell);
    return typeof json === "number" && !isExact(json, cell) ? cell : json;
  } catch {
    return cell;
  }
}

/** Reports whether a number has all digits of its cell, which has no exponent: `7.50` is 7.5. */
function isExact(number: number, cell: string): boolean {
  return !/e/i.test(cell) && digitsOf(String(number)) === digitsOf(cell);
}

/** Returns the digits of a number without its sign, point, exponent and outer zeros. */
function digitsOf(number: string): string {
  return number
    .replace(/e.*/, "")
    .replace(/[-.]/g, "")
    .replace(/^0+|0+$/g, "");
}

function toDomainError(cause: CsvError): DomainError {
  switch (cause.code) {
    case "CSV_MAX_RECORD_SIZE":
      return invalidLine(`longer than ${LINE_LIMIT} bytes`);
    case "CSV_QUOTE_NOT_CLOSED":
      return invalidLine("a quote is not closed");
    default:
      return invalidLine('a quote within a cell must be written as "", and the cell in quotes');
  }
}

function invalidLine(description: string): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, "LINE_INVALID", description);
}
