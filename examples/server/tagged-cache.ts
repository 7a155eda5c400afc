/** A rendered page and the tags of what it was made of. */
interface Rendered {
  readonly html: string;
  readonly tags: readonly string[];
}

interface Entry {
  readonly rendered: Promise<Rendered>;
  readonly endsAt: number;
}

/** Keeps rendered pages for a while, like the cache of Next.js with `revalidate` and `revalidateTag`. */
export class TaggedCache {
  readonly #entries = new Map<string, Entry>();
  readonly #lifetime: number;

  /** `lifetime` in milliseconds. */
  constructor(lifetime: number) {
    this.#lifetime = lifetime;
  }

  /** Returns a page, rendered once however many ask at the same time; a failure is not kept. */
  async get(name: string, render: () => Promise<Rendered>): Promise<string> {
    let entry = this.#entries.get(name);
    if (entry === undefined || entry.endsAt < Date.now()) {
      entry = { rendered: render(), endsAt: Date.now() + this.#lifetime };
      this.#entries.set(name, entry);
    }
    try {
      return (await entry.rendered).html;
    } catch (cause) {
      if (this.#entries.get(name) === entry) this.#entries.delete(name);
      throw cause;
    }
  }

  /** Drops every page with one of the tags, also those that are being rendered. */
  revalidate(tags: readonly string[]): void {
    for (const [name, entry] of this.#entries) {
      const drop = () => {
        if (this.#entries.get(name) === entry) this.#entries.delete(name);
      };
      entry.rendered.then((it) => it.tags.some((tag) => tags.includes(tag)) && drop(), drop);
    }
  }
}
