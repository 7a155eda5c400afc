import { realpathSync, rmSync, statSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { basename } from "node:path";
import type { Writable } from "node:stream";
import { type DescMessage, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import {
  RecordSchema,
  type Record as TransferRecord,
} from "../../gen/svc/transfer/v1/record_pb.ts";
import { Code, copyExists, DomainError } from "../domain/base/errors.ts";
import { compareCodePoints } from "../domain/kql/index.ts";
import type { RecordKind } from "../domain/records/record.ts";
import { fieldsByName } from "../protojson/read-message.ts";
import type { RecordExport } from "../storage/contract/records.ts";

const PARTIAL = ".partial";

/** The output of an export. */
export interface ExportTarget {
  /** Writes all bytes before it resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Completes the output. */
  finish(): Promise<void>;
  /** Removes an incomplete output; may be called at any time. */
  close(): Promise<void>;
}

/**
 * Opens a file that is `<path>.partial` until it is complete. Only its owner can read it. ALREADY_EXISTS
 * `FILE_EXISTS` for an existing file, unless `isForced`; `COPY_EXISTS` if another export writes it. INVALID_ARGUMENT
 * `FILE_INVALID` for a directory, a pipe or a device, which cannot be replaced by a file.
 */
export async function openExportFile(path: string, isForced: boolean): Promise<ExportTarget> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === false) {
    const kind = stats.isDirectory() ? "a directory" : "not a regular file; - is standard output";
    throw new DomainError(Code.INVALID_ARGUMENT, "FILE_INVALID", `${path} is ${kind}`);
  }
  if (!isForced && stats !== undefined) {
    const message = `${path} already exists; use --force to replace it`;
    throw new DomainError(Code.ALREADY_EXISTS, "FILE_EXISTS", message);
  }
  // A link stays, and leads to the new file.
  const target = stats === undefined ? path : realpathSync(path);
  const partial = `${target}${PARTIAL}`;
  const handle = await open(partial, "wx", 0o600).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === "EEXIST" ? copyExists(basename(partial)) : cause;
  });
  let isOpen = true;
  // An interrupt ends the process before the file is closed.
  const remove = () => rmSync(partial, { force: true });
  process.once("exit", remove);
  return {
    write: (bytes) => handle.writeFile(bytes),
    async finish() {
      await handle.sync();
      await handle.close();
      isOpen = false;
      await rename(partial, target);
      process.off("exit", remove);
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await handle.close();
      remove();
      process.off("exit", remove);
    },
  };
}

/** Writes an export to a stream, without closing it. */
export function toStream(stream: Writable): ExportTarget {
  // A failed write is also reported to its callback; without a listener the process would exit.
  stream.on("error", () => {});
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stream.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
    async finish() {},
    async close() {},
  };
}

/** The progress of an export. */
export interface ExportProgress {
  readonly items: number;
  readonly bytes: number;
}

/** Options of an export. */
export interface ExportOptions {
  /** The kinds to export. Default: all but releases. */
  readonly kinds?: readonly RecordKind[];
  /** Called after every batch. */
  readonly onProgress?: (progress: ExportProgress) => void;
}

/** The least bytes that are written at once, apart from the last ones of a batch: printing more would hold up other calls. */
const PART = 64 * 1024;

/**
 * Writes the records of a project, one per line; what follows is printed when `write` has resolved for the last part.
 * Returns the totals.
 */
export async function exportLines(
  store: RecordExport,
  projectId: string,
  write: (text: Uint8Array) => Promise<void>,
  { kinds, onProgress }: ExportOptions = {},
): Promise<ExportProgress> {
  let [items, bytes] = [0, 0];
  await store.exportRecords(
    projectId,
    async (records) => {
      let text = "";
      for (const [index, record] of records.entries()) {
        text += `${printRecord(record)}\n`;
        if (text.length < PART && index < records.length - 1) continue;
        const part = Buffer.from(text);
        await write(part);
        bytes += part.length;
        text = "";
      }
      items += records.length;
      onProgress?.({ items, bytes });
    },
    kinds,
  );
  return { items, bytes };
}

/**
 * Writes a record as one line, without the line end, in a canonical form. Fields have proto names and are ordered by
 * number; default values are omitted unless `optional`. The keys of maps and of free JSON objects are in code point
 * order.
 */
function printRecord(record: TransferRecord): string {
  return print(toJson(RecordSchema, record, { useProtoFieldName: true }), RecordSchema);
}

/** Prints the JSON of a message or of a list of messages; without a type, free JSON. */
function print(json: JsonValue, desc?: DescMessage): string {
  if (Array.isArray(json)) return `[${json.map((item) => print(item, desc)).join(",")}]`;
  // JSON.stringify drops the sign.
  if (Object.is(json, -0)) return "-0";
  if (typeof json !== "object" || json === null) return JSON.stringify(json);
  // Well-known types that are objects are free JSON.
  if (desc === undefined || desc.typeName.startsWith("google.protobuf.")) return printMap(json);
  const fields = fieldsByName(desc);
  const members = Object.entries(json).map(([name, value]) => {
    const field = fields.get(name);
    const isMap = field?.fieldKind === "map";
    return `"${name}":${isMap ? printMap(value as JsonObject, field.message) : print(value, field?.message)}`;
  });
  return `{${members.join(",")}}`;
}

/** Prints an object whose keys are data; `desc` is the type of its values, if they are messages. */
function printMap(json: JsonObject, desc?: DescMessage): string {
  const members = Object.keys(json)
    .sort(compareCodePoints)
    .map((key) => `${JSON.stringify(key)}:${print(json[key] ?? null, desc)}`);
  return `{${members.join(",")}}`;
}
