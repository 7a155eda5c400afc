import { type DescMessage, type JsonObject, toJson } from "@bufbuild/protobuf";
import type { ContentKind } from "../../../../domain/content/order.ts";
import {
  type ContentBatch,
  type ContentShape,
  type PreparedItem,
  VALUE_SEPARATOR,
} from "../../../content-import.ts";
import { timeColumn } from "../../times.ts";
import { CONTENT_SCHEMAS, type ContentMessage, sortTimeOf } from "../content-kinds.ts";
import { listWords } from "../filter/search-words.ts";
import { LeafPath, toLeafRows } from "./leaf-rows.ts";

/** A content item to store. */
export interface Content {
  readonly kind: ContentKind;
  readonly message: ContentMessage;
  /** Its line in the imported file; 0 without a file. */
  readonly line: number;
}

/** Returns the rows of content items, without a database. */
export function toContentBatch(contents: readonly Content[]): ContentBatch {
  const paths = new Map<string, number>();
  const shapes = new Map<string, number>();
  const found: ContentShape[] = [];
  const indexOf = (path: string) => {
    const known = paths.get(path);
    if (known !== undefined) return known;
    paths.set(path, paths.size);
    return paths.size - 1;
  };
  const root = createRoot();
  let last = -1;
  /** Finds the index of a shape; equal ones have one index. Most items have that of the item before. */
  const shapeOf = (leaves: readonly number[]) => {
    if (isSame(found[last], leaves)) return last;
    const key = leaves.join();
    last = shapes.get(key) ?? shapes.size;
    if (last === found.length) found.push(leaves);
    shapes.set(key, last);
    return last;
  };
  const items = contents.map(({ kind, message, line }): PreparedItem => {
    const doc = toJson<DescMessage>(CONTENT_SCHEMAS[kind], message) as JsonObject;
    const leaves: number[] = [];
    const values: string[] = [];
    for (const { path, key, text } of toLeafRows(doc, root)) {
      leaves.push(indexOf(path), text === null ? 0 : 1);
      values.push(key);
      if (text !== null) values.push(text);
    }
    return {
      kind,
      projectId: message.projectId,
      id: message.id,
      line,
      visibility: message.visibility,
      sortTime: timeColumn(sortTimeOf(message)),
      createTime: timeColumn(message.createTime),
      updateTime: timeColumn(message.updateTime),
      doc: JSON.stringify(doc),
      words: listWords(doc).join(" "),
      shape: shapeOf(leaves),
      values: values.join(VALUE_SEPARATOR),
    };
  });
  return { items, paths: [...paths.keys()], shapes: found };
}

function isSame(a: readonly number[] | undefined, b: readonly number[]): boolean {
  return a?.length === b.length && a.every((number, index) => number === b[index]);
}

const FIELDS = Object.values(CONTENT_SCHEMAS).flatMap(({ fields }) => fields);

/** Renames the first level only: below it content has nothing but maps and free-form objects. */
function createRoot(): LeafPath {
  const root = new LeafPath();
  for (const { jsonName, name } of FIELDS) root.member(jsonName, name);
  return root;
}
