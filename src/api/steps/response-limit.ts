import { LRUCache } from "lru-cache";
import type { StoredResponseStore } from "../../storage/contract/store.ts";

/** The most bytes of responses that are stored of an organization. */
const MOST_BYTES = 2 ** 30;

/** The parts of these bytes: the oldest part is deleted as a whole. */
const PARTS = 16;

/** The most responses that one write deletes. */
const AT_ONCE = 500;

/** The maximum number of organizations whose responses are counted. */
const MOST_ORGANIZATIONS = 1_000;

/** The responses of an organization that this process has stored. */
interface Growth {
  /** The bytes since the last part. */
  bytes: number;
  /** The times when the newest parts expire, the oldest first. */
  readonly ends: Date[];
  /** The time when the newest part to delete expires, while some of it may be left. */
  cut?: Date | undefined;
}

/** Deletes the stored responses of organizations that are older than the newest {@link MOST_BYTES} of this process. */
export class ResponseLimit {
  readonly #maxBytes: number;
  readonly #growths = new LRUCache<string, Growth>({ max: MOST_ORGANIZATIONS });

  constructor(maxBytes = MOST_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Counts a stored response of an organization, and deletes some of the oldest ones beyond the limit. */
  async count(
    responses: Pick<StoredResponseStore, "prune">,
    organizationId: string,
    { bytes, expireTime }: { readonly bytes: number; readonly expireTime: Date },
  ): Promise<void> {
    const growth = this.#growths.get(organizationId) ?? { bytes: 0, ends: [] };
    this.#growths.set(organizationId, growth);
    growth.bytes += bytes;
    if (growth.bytes >= this.#maxBytes / PARTS) {
      growth.bytes = 0;
      growth.ends.push(expireTime);
      if (growth.ends.length > PARTS) growth.cut = growth.ends.shift();
    }
    if (growth.cut === undefined) return;
    const pruned = await responses.prune(growth.cut, AT_ONCE, organizationId);
    if (pruned < AT_ONCE) growth.cut = undefined;
  }
}
