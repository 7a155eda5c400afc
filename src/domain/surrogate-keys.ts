import { type AnnouncedKind, KINDS } from "./kinds.ts";

/** Returns the surrogate key of the collection of a kind in a project, or of one of its resources. */
export function surrogateKeyOf(kind: AnnouncedKind, projectId: string, id?: string): string {
  const collection = `${projectId}/${KINDS[kind].collection}`;
  return id === undefined ? collection : `${collection}/${id}`;
}

/** The values of which each item of a list has one, by field; undefined: it may have any others, or none. */
export interface RequiredValues {
  readonly entityIds?: ReadonlySet<string> | undefined;
  readonly types?: ReadonlySet<string> | undefined;
}

/** The most values whose keys a list has. */
const MAX_VALUES = 5;

/** The most entities of an item whose keys a change names. */
const MAX_ENTITIES = 20;

/** The maximum length of a value with a key, in characters: CDNs ignore keys above 1 KiB. */
const MAX_VALUE_LENGTH = 100;

/**
 * Returns the surrogate keys of a list: every change of its items names one of them. These are the keys of a few
 * entities or else content types that its items must have, such as `worldcup/events/type:match`, or the key of its
 * collection. Lists of entities have one key in common, for changes of items with many.
 */
export function listKeysOf(
  kind: AnnouncedKind,
  projectId: string,
  { entityIds, types }: RequiredValues = {},
): readonly string[] {
  const keyOf = (name?: string) => surrogateKeyOf(kind, projectId, name);
  if (entityIds && isNamed(entityIds)) return [ENTITY, ...namesOf(ENTITY, entityIds)].map(keyOf);
  if (types && isNamed(types)) return namesOf(TYPE, types).map(keyOf);
  return [keyOf()];
}

/** Returns the keys of the lists that require an entity or the content type of a changed item, before or after. */
export function valueKeysOf(
  kind: AnnouncedKind,
  projectId: string,
  { entityIds, types }: { readonly [Name in keyof Required<RequiredValues>]: ReadonlySet<string> },
): readonly string[] {
  const ofEntities = entityIds.size > MAX_ENTITIES ? [ENTITY] : namesOf(ENTITY, entityIds);
  return [...namesOf(TYPE, types), ...ofEntities].map((name) =>
    surrogateKeyOf(kind, projectId, name),
  );
}

const ENTITY = "entity";
const TYPE = "type";

function isNamed(values: ReadonlySet<string>): boolean {
  return values.size <= MAX_VALUES && [...values].every(hasKey);
}

function hasKey({ length }: string): boolean {
  return length > 0 && length <= MAX_VALUE_LENGTH;
}

function namesOf(field: string, values: ReadonlySet<string>): readonly string[] {
  return [...values].filter(hasKey).map((value) => `${field}:${value}`);
}

/** The maximum length of the `Surrogate-Key` header, in bytes: proxies truncate or reject longer ones. */
const MAX_SURROGATE_KEY_BYTES = 4_096;

/**
 * Writes the `Surrogate-Key` header of a response: the keys of everything it was made from, each once,
 * percent-encoded and separated by spaces. The project is the first, so that its key purges all of its responses.
 * `listed` are the keys of resources that the keys of their list cover.
 *
 * If the header would exceed 4 KiB, the listed resources are omitted. If that is not enough, single resources
 * (`worldcup/events/match-1`) are replaced by their collection (`worldcup/events`), the largest collection first, and
 * at last all keys of a project by the project.
 */
export function printSurrogateKeys(keys: Iterable<string>, listed: Iterable<string> = []): string {
  let encoded = new Set<string>();
  for (const key of keys) {
    if (key === "") continue;
    const name = encodeSurrogateKey(key);
    const [project = ""] = name.split("/", 1);
    encoded.add(project).add(name);
  }
  const complete = new Set(encoded);
  for (const key of listed) complete.add(encodeSurrogateKey(key));
  if (sizeOf(complete) <= MAX_SURROGATE_KEY_BYTES) return [...complete].join(" ");
  for (const depth of [2, 1]) {
    while (sizeOf(encoded) > MAX_SURROGATE_KEY_BYTES) {
      const largest = findLargest(encoded, depth);
      if (largest === undefined) break;
      encoded = new Set(
        Array.from(encoded, (key) => (key.startsWith(`${largest}/`) ? largest : key)),
      );
    }
  }
  return [...encoded].join(" ");
}

/** Finds the prefix of `depth` segments whose longer keys take the most bytes, if there is one. */
function findLargest(keys: Iterable<string>, depth: number): string | undefined {
  const sizes = new Map<string, number>();
  for (const key of keys) {
    const segments = key.split("/");
    if (segments.length <= depth) continue;
    const start = segments.slice(0, depth).join("/");
    sizes.set(start, (sizes.get(start) ?? 0) + key.length + 1);
  }
  const [largest] = Array.from(sizes).sort(([, a], [, b]) => b - a);
  return largest?.[0];
}

function sizeOf(keys: ReadonlySet<string>): number {
  let size = -1;
  for (const { length } of keys) size += length + 1;
  return size;
}

/** Most keys have no other characters; looking for one is faster than replacing them. */
const PLAIN = /^[\w.~/:-]*$/;

/** Returns a key as headers and webhooks have it: percent-encoded except for letters, digits and `_.~/:-`. */
export function encodeSurrogateKey(key: string): string {
  if (PLAIN.test(key)) return key;
  return key.replace(/[^\w.~/:-]/gu, (character) =>
    Array.from(
      Buffer.from(character),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    ).join(""),
  );
}
