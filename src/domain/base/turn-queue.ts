/** A queue whose keys take turns: each that has items gives the next one, regardless of how many it has. */
export class TurnQueue<T> {
  /** By key; the key whose turn is next is the first. */
  readonly #waiting = new Map<string, Set<T>>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** The number of all that wait. */
  get size(): number {
    let size = 0;
    for (const items of this.#waiting.values()) size += items.size;
    return size;
  }

  add(key: string, item: T): void {
    const items = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, items.add(item));
  }

  /** Takes the item whose turn it is; the others of its key wait behind one of each other key. Undefined if none waits. */
  take(): T | undefined {
    for (const [key, items] of this.#waiting) {
      for (const item of items) {
        this.#waiting.delete(key);
        items.delete(item);
        if (items.size > 0) this.#waiting.set(key, items);
        return item;
      }
    }
    return undefined;
  }

  /** Removes an item that waits no longer. */
  remove(key: string, item: T): void {
    const items = this.#waiting.get(key);
    items?.delete(item);
    if (items?.size === 0) this.#waiting.delete(key);
  }
}

/** A queue whose groups take turns, and in each group its keys. */
export class GroupTurnQueue<T> {
  /** By group; the group whose turn is next is the first. */
  readonly #waiting = new Map<string, TurnQueue<T>>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(group: string, key: string, item: T): void {
    const queue = this.#waiting.get(group) ?? new TurnQueue<T>();
    queue.add(key, item);
    this.#waiting.set(group, queue);
  }

  /** Takes the item whose turn it is. Undefined if none waits. */
  take(): T | undefined {
    for (const [group, queue] of this.#waiting) {
      this.#waiting.delete(group);
      const item = queue.take();
      if (!queue.isEmpty) this.#waiting.set(group, queue);
      return item;
    }
    return undefined;
  }
}
