import { create } from "@bufbuild/protobuf";
import { type FieldMask, FieldMaskSchema } from "@bufbuild/protobuf/wkt";

/**
 * Parses a field mask: comma-separated names in snake_case or lowerCamelCase. Trims spaces around
 * commas, converts names to snake_case and removes duplicates. Names are not checked: `*`, dotted,
 * unknown and empty ones stay. An empty text has no paths.
 */
export function parseFieldMask(text: string): FieldMask {
  const paths = text.trim() === "" ? [] : text.split(",").map((name) => toSnakeCase(name.trim()));
  return create(FieldMaskSchema, { paths: [...new Set(paths)] });
}

/** Converts the lowerCamelCase parts of a dotted name to snake_case; other parts stay. */
function toSnakeCase(name: string): string {
  return name
    .split(".")
    .map((part) => (isLowerCamelCase(part) ? insertUnderscores(part) : part))
    .join(".");
}

function isLowerCamelCase(part: string): boolean {
  const first = part.charAt(0);
  return first >= "a" && first <= "z" && !part.includes("_");
}

function insertUnderscores(part: string): string {
  let name = "";
  for (const character of part) {
    const upper = character >= "A" && character <= "Z";
    name += upper ? `_${character.toLowerCase()}` : character;
  }
  return name;
}
