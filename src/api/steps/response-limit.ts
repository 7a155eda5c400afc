import { LRUCache } from "lru-cache";
import type { StoredResponseStore } from "../../storage/contract/store.ts";

/** The most bytes of responses that are stored of an organization. */
const MOST_BYTES = 2 ** 30;

/** The parts of these bytes: the oldest part is deleted as a whole. */
const PARTS = 16;

/** The most responses that one write deletes. */
const AT_ONCE = 500;

/** How much earlier than the last response one may expire whose call has begun before, in milliseconds. */
const DISORDER = 60_000;

/** The maximum number of organizations whose responses are counted. */
const MOST_ORGANIZATIONS = 1_000;

/** The responses of an organization that this process has stored. */
interface Growth {
  /** The bytes since the last part. */
  bytes: number;
  /** The times when the newest parts expire, and older ones of which some is left, the oldest first. */
  ends: Date[];
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
    // After the clock was set back, newer responses expire before these.
    growth.ends = growth.ends.filter((end) => end.getTime() <= expireTime.getTime() + DISORDER);
    if (growth.bytes >= this.#maxBytes / PARTS) {
      growth.bytes = 0;
      growth.ends.push(expireTime);
    }
    const cut = growth.ends.at(-1 - PARTS);
    if (cut === undefined) return;
    const pruned = await responses.prune(cut, AT_ONCE, organizationId);
    if (pruned === 0) growth.ends = growth.ends.filter((end) => end > cut);
  }
}
