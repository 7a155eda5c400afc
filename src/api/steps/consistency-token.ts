import { Code, DomainError } from "../../domain/base/errors.ts";
import type { Store } from "../../storage/contract/store.ts";
import { type Caller, callerKeyOf } from "./incoming-call.ts";

/**
 * The response header of a write, with a revision of the project that includes the write. A client that sends it with a
 * read gets a response at least as new from every process.
 */
export const CONSISTENCY_HEADER = "x-consistency-token";

/** An id with percent escapes, and a number that is always exact. */
const TOKEN = /^([\w.~!'()*%-]+):(\d{1,15})$/;

/** Prints the token of a project at a revision. */
export function printConsistencyToken(projectId: string, revision: number): string {
  return `${encodeURIComponent(projectId)}:${revision}`;
}

/** The rest after a look at the database that did not find the revision of a token, in milliseconds. */
const REST = 100;

/** Makes calls see the revisions of their tokens. */
export class Consistency {
  readonly #store: Pick<Store, "catchUp" | "knownRevision">;
  /** The looks that have not begun, by caller; all calls that wait share one. */
  readonly #next = new Map<string, Promise<void>>();
  /** The looks that have begun, each with the rest after it. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(store: Pick<Store, "catchUp" | "knownRevision">) {
    this.#store = store;
  }

  /**
   * Reads the changes of other processes if the token of a request is newer than the project's known revision. Returns
   * true if it did: authenticate the caller again then. The token of a project that the caller's key cannot read
   * changes nothing. The token of a future revision reads the newest state. INVALID_ARGUMENT
   * `CONSISTENCY_TOKEN_INVALID`.
   */
  async await(header: string, caller: Caller): Promise<boolean> {
    const { projectId, revision } = parseToken(header);
    if (caller.kind === "project" && caller.key.projectId !== projectId) return false;
    return this.reach(projectId, revision, callerKeyOf(caller));
  }

  /** Reads the changes of other processes if a revision of a project is newer than the known one; true if it did. */
  async reach(projectId: string, revision: number, callerKey: string): Promise<boolean> {
    const isKnown = () => (this.#store.knownRevision(projectId) ?? 0) >= revision;
    if (isKnown()) return false;
    await this.#look(callerKey, isKnown);
    return true;
  }

  /** Looks once for all calls of a caller that wait, and not sooner than a rest after a look in vain. */
  #look(caller: string, isFound: () => boolean): Promise<void> {
    const waiting = this.#next.get(caller);
    if (waiting !== undefined) return waiting;
    const look = async () => {
      await this.#last.get(caller);
      this.#next.delete(caller);
      const looking = this.#store.catchUp();
      const last = looking
        .then(() => (isFound() ? undefined : rest()))
        .catch(() => {})
        .finally(() => {
          if (this.#last.get(caller) === last) this.#last.delete(caller);
        });
      this.#last.set(caller, last);
      await looking;
    };
    const next = look();
    this.#next.set(caller, next);
    return next;
  }
}

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, REST));
}

function parseToken(header: string): { readonly projectId: string; readonly revision: number } {
  const [, id, revision] = TOKEN.exec(header) ?? [];
  try {
    if (id !== undefined) return { projectId: decodeURIComponent(id), revision: Number(revision) };
  } catch {
    // A broken escape.
  }
  throw new DomainError(
    Code.INVALID_ARGUMENT,
    "CONSISTENCY_TOKEN_INVALID",
    `the header ${CONSISTENCY_HEADER} must be the value that a write returned, unchanged`,
  );
}
