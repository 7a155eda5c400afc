import { splitPath } from "../../src/domain/changes/path-tree.ts";
import type { Document, Schema } from "../openapi.ts";
import { useApp } from "./app.ts";
import { toSnake } from "./drawing/text.ts";
import { kindOfName, methodsOf } from "./kinds.ts";
import { schemaOf } from "./resource.ts";
import { listFields, printLabel, printLanguage } from "./schema.ts";

/**
 * Returns a function that prints paths in resources of a kind, of either API, as its form labels them: `Title › English` for
 * `title.en`.
 */
export function usePathWords(kindName: string): (path: string) => string {
  const { document, operations } = useApp();
  const kind = kindOfName(kindName);
  const schema = kind === undefined ? {} : schemaOf(methodsOf(kind, operations));
  return (path) => listWords(splitPath(path), schema, document).join(" › ");
}

function listWords(
  [key = "", ...below]: readonly string[],
  schema: Schema,
  document: Document,
  isRoot = true,
): readonly string[] {
  const [, name = key, index] = /^(.+)\[(\d+)\]$/.exec(key) ?? [];
  const names = [name, toSnake(name)];
  const field = listFields(schema, document).find((it) => names.includes(it.name));
  const label = field?.label ?? (isRoot ? printLabel(toSnake(name)) : name);
  const word = index === undefined ? label : `${label} ${Number(index) + 1}`;
  const [next] = below;
  if (next === undefined) return [word];
  if (field?.control === "languages") return [word, printLanguage(next)];
  return [word, ...listWords(below, field?.schema ?? {}, document, false)];
}
