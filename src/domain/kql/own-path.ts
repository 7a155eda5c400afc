/**
 * Reads a dotted path through own members only. An array on the path yields the array of its elements'
 * values, without elements that lack the member; undefined when the path does not exist.
 */
export function readOwnPath(root: unknown, path: string): unknown {
  let value = root;
  for (const key of path.split(".")) value = readOwnMember(value, key);
  return value;
}

function readOwnMember(value: unknown, key: string): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => readOwnMember(item, key)).filter((member) => member !== undefined);
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}
