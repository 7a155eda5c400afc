import { createHash } from "node:crypto";

/** The maximum length of an id, also of a copy. */
const MOST_CHARACTERS = 64;

/** The characters of the hash that replaces the end of a long id. */
const HASH = 16;

/**
 * Derives the ids of a copy: `<id>~<project>` or, if that is longer than 64 characters, the beginning of the id,
 * `~` and a hash of both. Deterministic, so that repeating a copy updates it.
 */
export class CopyIds {
  readonly projectId: string;
  readonly #known = new Set<string>();
  readonly #slugs = new Set<string>();

  constructor(projectId: string) {
    this.projectId = projectId;
  }

  /** Adds a resource of the file. */
  add(id: string): void {
    this.#known.add(id);
  }

  /** Adds the slug of a page. */
  addSlug(slug: string): void {
    this.#slugs.add(slug);
  }

  /** Returns the id of the copy of a resource, whether or not it is in the file; an empty id stays empty. */
  toCopy(id: string): string {
    if (id === "") return id;
    const copy = `${id}~${this.projectId}`;
    if (copy.length <= MOST_CHARACTERS) return copy;
    const hash = createHash("sha256").update(`${id} ${this.projectId}`).digest("hex");
    const kept = id.slice(0, MOST_CHARACTERS - HASH - 1).toWellFormed();
    return `${kept}~${hash.slice(0, HASH)}`;
  }

  /** Returns the id of the copy if the text is the id of a resource in the file. */
  find(text: string): string | undefined {
    return this.#known.has(text) ? this.toCopy(text) : undefined;
  }

  isSlug(path: string): boolean {
    return this.#slugs.has(path);
  }
}
