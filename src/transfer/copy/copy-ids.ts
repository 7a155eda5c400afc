import { createHash } from "node:crypto";

/** How long an id may be that a caller chooses; that of a copy is no longer. */
const MOST_CHARACTERS = 64;

/** How many characters of an id's hash stand for what of it is cut off. */
const HASH = 16;

/**
 * The ids of a copy: `<id>~<project>`, and if that is longer than 64 characters, the beginning of the id, `~`
 * and a hash of both. The same for the same id and project, so that a copy that is repeated meets itself.
 */
export class CopyIds {
  readonly projectId: string;
  readonly #known = new Set<string>();
  readonly #slugs = new Set<string>();

  constructor(projectId: string) {
    this.projectId = projectId;
  }

  /** Takes note of a resource that the file holds. */
  add(id: string): void {
    this.#known.add(id);
  }

  /** Takes note of a page's slug. */
  addSlug(slug: string): void {
    this.#slugs.add(slug);
  }

  /** Returns the id of the copy of a resource, be it in the file or not; empty stays empty. */
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
