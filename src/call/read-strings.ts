import type { Message } from "@bufbuild/protobuf";

/**
 * Reads the string or strings at a path of snake_case field names, such as
 * `video_protection_ruleset.project_id`; none if a part of the path is not set.
 */
export function readStrings(message: Message, path: string): string[] {
  let value: unknown = message;
  for (const name of path.split(".")) {
    value = (value as Record<string, unknown> | undefined)?.[toCamelCase(name)];
  }
  if (Array.isArray(value)) return value.filter((it) => typeof it === "string");
  return typeof value === "string" ? [value] : [];
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
