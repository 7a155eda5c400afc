import { setImmediate } from "node:timers/promises";
import { printPublicLifetime } from "../api/steps/cache-control.ts";
import { Consistency } from "../api/steps/consistency-token.ts";
import type { Store } from "../storage/contract/store.ts";
import type { Exchange, HttpResponse, SharedState } from "./listener/exchange.ts";
import {
  type ContentState,
  parseState,
  STATE_HEADER,
  type WaitRequest,
  waitNotSupported,
} from "./listener/wait-request.ts";

/** A read that may wait. */
interface WaitingRead {
  readonly exchange: Exchange;
  /** Its key in the response cache, which equal reads share. */
  readonly key: string;
  readonly wait: WaitRequest;
  /** Returns the cached response of this moment; undefined without one. */
  find(): HttpResponse | undefined;
  /** Makes the response of this moment. */
  call(): Promise<HttpResponse | undefined>;
}

/** The dependencies of waits. */
interface WaitsOptions {
  readonly store: Pick<Store, "catchUp" | "knownRevision">;
  readonly clock: () => Date;
  /** The most reads that wait at the same time, and twice the number of different ones. */
  readonly max: number;
}

/** The interval between looks for reads to make again, in milliseconds. */
const TICK_MS = 50;

/** The rest of a read after it was made, in milliseconds. */
const REST_MS = 1_000;

/** The time for reads after changes: a share of all time, and the most that is saved up, in milliseconds. */
const TIME = { share: 0.25, mostMs: 250 };

/** The reads that get their response before other requests run: sending it to 50 takes 2 to 4 ms. */
const WOKEN = 50;

/** The share of the reads and of the different ones that an organization may take while reads of others wait. */
const ORGANIZATION_SHARE = 0.75;

/** How long a CDN keeps a response that is news to its caller, and one that is not, in seconds. */
const KEPT = { news: 5, none: 1 };

/** The time that a client past the limit is asked to wait, in seconds. */
const RETRY_AFTER = 5;

/**
 * Reads that wait until their responses have another state. A change of their project makes them again: each at most
 * once a second, one after the other in each project, and all together within a quarter of the time. A read that gets no
 * turn is made at the end of its wait, as a plain one would be.
 */
export class Waits {
  /** The responses by result: another state, the same state, or the same because too many wait. */
  readonly results = { news: 0, none: 0, full: 0 };
  /** The number of reads that wait. */
  waiting = 0;
  readonly #options: WaitsOptions;
  readonly #consistency: Consistency;
  readonly #groups = new Map<string, Group>();
  readonly #projects = new Map<string, Project>();
  readonly #organizations = new Map<string, Organization>();
  #timeLeft = TIME.mostMs;
  #tickTime = 0;
  #ticker: NodeJS.Timeout | undefined;
  #isEnding = false;

  constructor(options: WaitsOptions) {
    this.#options = options;
    this.#consistency = new Consistency(options.store);
  }

  /** Ends all waits, and from now on each at its beginning. */
  end(): void {
    this.#isEnding = true;
  }

  /** Returns the response to a read when its state is another than the caller's, at the latest after the wait. */
  async respond(read: WaitingRead): Promise<HttpResponse | undefined> {
    const { exchange, key, wait } = read;
    const known = this.#groups.get(key);
    const isFull = this.#isFull(known, known?.project.organization);
    const mayCall = isFull || this.#isEnding || !known?.isResting;
    let callTime: number | undefined;
    const look = () => {
      const cached = read.find();
      if (cached !== undefined || !mayCall) return cached;
      // Once more for a process that was behind: it then is in progress already.
      if (callTime === undefined) exchange.load.enter(exchange);
      callTime = performance.now();
      return this.#call(read);
    };
    let response = await look();
    const place = known?.project ?? response?.shared;
    if (place === undefined) return checkShared(response);
    const { projectId, organizationId } = place;
    // Another state may also be an older one: a revision says only which changes its response has at least.
    const differs = response !== undefined && isNews(response, wait.after);
    const revision = differs ? Number.POSITIVE_INFINITY : wait.after.revision;
    const wasBehind = await this.#consistency.reach(projectId, revision, projectId);
    if (wasBehind) response = await look();
    if (isFull || (!known && this.#isFull(known, this.#organizations.get(organizationId)))) {
      return this.#finish(read, response, true);
    }
    const group = this.#open(key, place);
    if (callTime !== undefined) group.rest(callTime);
    if (response?.shared !== undefined) group.shared = response.shared;
    const isOver = this.#isEnding || (response !== undefined && isNews(response, wait.after));
    if (isOver) return this.#finish(read, response);
    exchange.load.leave(exchange);
    const start = performance.now();
    try {
      return this.#finish(read, await this.#join(group, read));
    } finally {
      exchange.waited = performance.now() - start;
    }
  }

  /** Reports whether too many reads wait, or too many different ones without a group, in all or in an organization. */
  #isFull(group: Group | undefined, organization: Organization | undefined): boolean {
    const { max } = this.#options;
    const isNew = group === undefined;
    if (this.waiting >= max || (isNew && this.#groups.size >= max / 2)) return true;
    if (organization === undefined || this.#organizations.size === 1) return false;
    const most = max * ORGANIZATION_SHARE;
    return organization.waiting >= most || (isNew && organization.groups >= most / 2);
  }

  /** Makes a response, at the expense of the time for changes. */
  async #call(read: WaitingRead): Promise<HttpResponse | undefined> {
    const start = performance.now();
    try {
      return await read.call();
    } finally {
      const left = this.#timeLeft - (performance.now() - start);
      this.#timeLeft = Math.max(left, -TIME.mostMs);
    }
  }

  #open(key: string, place: Place): Group {
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const { projectId, organizationId } = place;
    const organization = this.#organizations.get(organizationId) ?? { waiting: 0, groups: 0 };
    const project = this.#projects.get(projectId) ?? {
      projectId,
      organizationId,
      organization,
      groups: new Set<Group>(),
      isBusy: false,
    };
    const group = new Group(key, project);
    this.#organizations.set(organizationId, organization);
    project.organization.groups += 1;
    this.#projects.set(projectId, project);
    this.#groups.set(key, group);
    project.groups.add(group);
    if (this.#ticker === undefined) {
      this.#tickTime = performance.now();
      this.#ticker = setInterval(() => this.#tick(), TICK_MS).unref();
    }
    return group;
  }

  #close(group: Group): void {
    const { key, project } = group;
    this.#groups.delete(key);
    project.groups.delete(group);
    const { projectId, organizationId, organization } = project;
    if (project.groups.size === 0) this.#projects.delete(projectId);
    organization.groups -= 1;
    if (organization.groups === 0) this.#organizations.delete(organizationId);
    if (this.#groups.size > 0) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  /** Waits in a group for its response; rejects when the client has gone. */
  async #join(group: Group, read: WaitingRead): Promise<HttpResponse | undefined> {
    const { signal } = read.exchange;
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse | undefined>();
    const waiter = { read, resolve, reject, end: performance.now() + read.wait.ms };
    const leave = () => reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    group.waiters.add(waiter);
    this.waiting += 1;
    group.project.organization.waiting += 1;
    try {
      return await promise;
    } finally {
      this.waiting -= 1;
      group.project.organization.waiting -= 1;
      group.waiters.delete(waiter);
      signal.removeEventListener("abort", leave);
    }
  }

  #tick(): void {
    const now = performance.now();
    this.#timeLeft = Math.min(this.#timeLeft + (now - this.#tickTime) * TIME.share, TIME.mostMs);
    this.#tickTime = now;
    for (const group of this.#groups.values()) {
      const isOver = [...group.waiters].some(({ end }) => end <= now);
      if (this.#isEnding || isOver) void this.#look(group);
      else if (group.waiters.size === 0 && !group.isResting) this.#close(group);
    }
    for (const project of this.#projects.values()) void this.#work(project);
  }

  /** Makes the changed reads of a project again, one after the other, while there is time. */
  async #work(project: Project): Promise<void> {
    if (project.isBusy) return;
    project.isBusy = true;
    // A copy: a group that moves to the end would come again and again while a slow call of it is in progress.
    for (const group of [...project.groups]) {
      if (this.#timeLeft <= 0) break;
      if (group.waiters.size === 0 || group.isResting || !this.#isChanged(group)) continue;
      // The next time, those that had no turn come first.
      project.groups.delete(group);
      project.groups.add(group);
      await this.#look(group);
    }
    project.isBusy = false;
  }

  #isChanged({ project, shared }: Group): boolean {
    const { store, clock } = this.#options;
    return (
      store.knownRevision(project.projectId) !== shared?.revision ||
      clock().getTime() >= (shared?.until ?? Number.POSITIVE_INFINITY)
    );
  }

  /** Finds or makes the response of a group, for those who waited before. */
  async #look(group: Group): Promise<void> {
    const waiters = [...group.waiters];
    const [first] = waiters;
    if (first === undefined || group.isLooking) return;
    group.isLooking = true;
    try {
      let response = first.read.find();
      if (response === undefined) {
        if (group.isResting && !this.#isEnding) return;
        group.rest(performance.now());
        response = await this.#call(first.read);
      }
      group.shared = response?.shared;
      const now = performance.now();
      const done = waiters.filter(
        ({ read, end }) =>
          this.#isEnding ||
          end <= now ||
          response === undefined ||
          isNews(response, read.wait.after),
      );
      for (const [at, { resolve }] of done.entries()) {
        if (at > 0 && at % WOKEN === 0) await setImmediate();
        resolve(response);
      }
    } catch (cause) {
      // Such as a client that has gone: the next look is for another.
      first.reject(cause);
    } finally {
      group.isLooking = false;
    }
  }

  /** Counts the end of a read, and returns its response with the lifetime that it has at a CDN. */
  #finish(
    { wait }: WaitingRead,
    response: HttpResponse | undefined,
    isFull = false,
  ): HttpResponse | undefined {
    if (response?.shared === undefined) return checkShared(response);
    const isSame = !isNews(response, wait.after);
    const result = isSame ? (isFull ? "full" : "none") : "news";
    this.results[result] += 1;
    const now = this.#options.clock().getTime();
    const longest = { cdn: isSame ? KEPT.none : KEPT.news, stale: 0 };
    return {
      ...response,
      headers: {
        ...response.headers,
        "cache-control": printPublicLifetime(response.shared.until, now, longest),
        ...(result === "full" && { "retry-after": String(RETRY_AFTER) }),
      },
    };
  }
}

/** A read that waits in a group. */
interface Waiter {
  readonly read: WaitingRead;
  /** When its wait ends, by `performance.now()`. */
  readonly end: number;
  resolve(response: HttpResponse | undefined): void;
  reject(cause: unknown): void;
}

/** Where a read belongs. */
type Place = Pick<SharedState, "organizationId" | "projectId">;

/** The reads of an organization that wait, and its groups. */
interface Organization {
  waiting: number;
  groups: number;
}

/** The groups of a project; the group whose turn is next is the first. */
interface Project extends Place {
  readonly organization: Organization;
  readonly groups: Set<Group>;
  /** True while changed reads are made again. */
  isBusy: boolean;
}

/** Equal reads that wait; kept without any while it rests. */
class Group {
  readonly key: string;
  readonly project: Project;
  readonly waiters = new Set<Waiter>();
  isLooking = false;
  /** The state that its last response shows; undefined without one. */
  shared: SharedState | undefined;
  #restEnd = 0;

  constructor(key: string, project: Project) {
    this.key = key;
    this.project = project;
  }

  /** True if it was called for less than a second ago. */
  get isResting(): boolean {
    return performance.now() < this.#restEnd;
  }

  /** Rests after a call that began at a time. */
  rest(callTime: number): void {
    this.#restEnd = callTime + REST_MS;
  }
}

function isNews({ headers }: HttpResponse, { hash }: ContentState): boolean {
  return parseState(headers[STATE_HEADER])?.hash !== hash;
}

/** Returns an error, or a response of an unknown revision; throws for a response to one viewer. */
function checkShared(response: HttpResponse | undefined): HttpResponse | undefined {
  if (response === undefined || response.code !== undefined) return response;
  if (response.headers["cache-control"]?.startsWith("public")) return response;
  throw waitNotSupported();
}
