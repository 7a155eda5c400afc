import { decideAccess } from "../../domain/access/permissions.ts";
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
   * true if it did: authenticate the caller again then. The token of a project that the caller cannot read changes nothing:
   * the time of the response would show its revision. The token of a future revision reads the newest state.
   * INVALID_ARGUMENT `CONSISTENCY_TOKEN_INVALID`.
   */
  async await(header: string, caller: Caller, access: ProjectAccess): Promise<boolean> {
    const { projectId, revision } = parseToken(header);
    if (!(await isVisible(projectId, caller, access))) return false;
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

/** The part of the store that knows who may see a project. */
type ProjectAccess = Pick<Store["access"], "listBindings" | "locate">;

/** Reports whether a project is the project of a key, or one where an account has a role. */
async function isVisible(id: string, caller: Caller, access: ProjectAccess): Promise<boolean> {
  if (caller.kind === "project") return caller.key.projectId === id;
  const [project] = await access.locate("project", [id]);
  if (project === undefined) return false;
  return decideAccess(await access.listBindings(caller.account), project, "") !== "hidden";
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
