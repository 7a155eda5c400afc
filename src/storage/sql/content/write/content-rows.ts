import { type DescMessage, type JsonObject, toJson } from "@bufbuild/protobuf";
import type { ContentKind } from "../../../../domain/content/order.ts";
import type { ContentBatch, PreparedItem } from "../../../content-import.ts";
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
  const root = createRoot();
  const items = contents.map(({ kind, message, line }): PreparedItem => {
    const doc = toJson<DescMessage>(CONTENT_SCHEMAS[kind], message) as JsonObject;
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
      words: listWords(doc),
      leaves: toLeafRows(doc, root),
    };
  });
  return { items };
}

const FIELDS = Object.values(CONTENT_SCHEMAS).flatMap(({ fields }) => fields);

/** Renames the first level only: below it content has nothing but maps and free-form objects. */
function createRoot(): LeafPath {
  const root = new LeafPath();
  for (const { jsonName, name } of FIELDS) root.member(jsonName, name);
  return root;
}
