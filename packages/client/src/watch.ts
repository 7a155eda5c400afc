import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";

/** How a watch ends. */
export interface WatchOptions {
  /** Ends the iteration, without an error. Default: it ends with the loop. */
  readonly signal?: AbortSignal;
}

/** The reads of services as iterators: each yields the response, and again whenever it changes. */
export type Watch<Services> = {
  readonly [Name in Exclude<keyof Services, "transport" | "auth" | "playback">]: {
    readonly [Method in keyof Services[Name]]: Services[Name][Method] extends (
      request: infer Request,
      options?: CallOptions,
    ) => Promise<infer Response>
      ? (request: Request, options?: WatchOptions) => AsyncGenerator<Response, void, undefined>
      : never;
  };
};

/** The header that carries the parameters of a wait to the transport, which removes it. */
export const WAIT_HEADER = "marquee-wait";

/** The longest wait, and the interval of polls where a wait is not possible, in seconds. */
const SECONDS = 10;

/** The time limit of a request, in seconds. */
const LIMIT = 2 * SECONDS;

/** The errors that no repetition changes. */
const FINAL = [Code.NotFound, Code.PermissionDenied, Code.Unauthenticated];

/** The page of a browser; undefined elsewhere. */
const { document: page } = globalThis as {
  readonly document?: EventTarget & { readonly hidden: boolean };
};

type Read = (options: CallOptions) => Promise<unknown>;

/** A response, its content's identity, and the state to wait for the end of; empty if it cannot be waited for. */
interface News {
  readonly id: string;
  readonly after: string;
  readonly response: unknown;
}

/**
 * Creates the watches of services. Tabs share requests under `name`, which is different for each URL and key; empty: they
 * share none.
 */
export function createWatch<Services extends object>(
  services: Services,
  name: string,
): Watch<Services> {
  return mapEntries(services, (service, serviceName) =>
    mapEntries(service, (read, method) => (request: object, { signal }: WatchOptions = {}) => {
      const key = name && `${name} ${serviceName}.${method} ${print(request)}`;
      return watch((options) => read(request, options), key, signal);
    }),
  ) as never;
}

function mapEntries<T extends object>(
  value: T,
  // biome-ignore lint/suspicious/noExplicitAny: services and methods of any type.
  map: (member: any, name: string) => unknown,
): object {
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, map(it, name)]));
}

function print(value: unknown): string {
  return JSON.stringify(value, (_, it) => (typeof it === "bigint" ? `${it}` : it));
}

/** Yields the response of a read and its changes. Of all tabs with a watch of one key, one sends requests. */
async function* watch(read: Read, key: string, signal?: AbortSignal): AsyncGenerator<unknown> {
  const ended = new AbortController();
  const end = ended.signal;
  if (signal?.aborted) ended.abort();
  signal?.addEventListener("abort", () => ended.abort(), { signal: end });
  const tabs = page && key ? new BroadcastChannel(key) : undefined;
  let latest: News | undefined;
  let failure: { readonly cause: unknown } | undefined;
  let wake = () => {};
  end.addEventListener("abort", () => wake());
  const take = (news: News) => {
    latest = news;
    wake();
  };
  const lead = async (stint: AbortSignal) => {
    let early = 0;
    while (!stint.aborted) {
      const start = performance.now();
      let rest = SECONDS;
      try {
        const news = await ask(read, latest?.after, stint);
        const isNews = news.id !== latest?.id;
        take(news);
        tabs?.postMessage(news);
        const seconds = (performance.now() - start) / 1_000;
        early = isNews || seconds > SECONDS - 1 ? 0 : early + 1;
        // Two releases of the service may have different states of one response, and send each other's callers back.
        if (news.after && early < 2) rest = isNews ? Math.max(0, 1 - seconds) : 1 + Math.random();
      } catch (cause) {
        if (stint.aborted) return;
        if (FINAL.includes(ConnectError.from(cause).code)) throw cause;
        // The next request is a plain one.
        if (latest) latest = { ...latest, after: "" };
      }
      await pause(rest * 1_000, stint);
    }
  };
  const run = async () => {
    while (!end.aborted) {
      await untilHidden(false, end);
      const hidden = new AbortController();
      const stint = hidden.signal;
      // Also when the watch ends.
      untilHidden(true, end).then(() => hidden.abort());
      // Without a secure context, a page has no locks: each tab then sends its own requests.
      const leading =
        tabs && navigator.locks
          ? navigator.locks.request(key, { signal: stint }, () => lead(stint))
          : lead(stint);
      await leading.catch((cause) => {
        if (!stint.aborted) throw cause;
      });
    }
  };
  try {
    const first = await ask(read, "", end);
    take(first);
    if (tabs) {
      // A tab that opens asks the others for news by its state. One that was hidden for long has none.
      tabs.onmessage = ({ data }) => {
        if (typeof data !== "string") take(data);
        else if (revisionOf(latest?.after) > revisionOf(data)) tabs.postMessage(latest);
      };
      tabs.postMessage(first.after);
    }
    run().catch((cause) => {
      failure = { cause };
      wake();
    });
    for (let shown: string | undefined; !end.aborted; ) {
      if (latest && latest.id !== shown) {
        shown = latest.id;
        yield latest.response;
      } else if (failure) throw failure.cause;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } catch (cause) {
    if (!signal?.aborted) throw cause;
  } finally {
    ended.abort();
    tabs?.close();
  }
}

/** Returns the revision in a state; `NaN` without one. */
function revisionOf(state = ""): number {
  return Number(state.split(".")[1]);
}

/** Reads once; with a state, after it has changed or some seconds have passed. */
async function ask(read: Read, after = "", signal: AbortSignal): Promise<News> {
  let headers = new Headers();
  const limit = new AbortController();
  const end = () => limit.abort();
  const late = () =>
    limit.abort(new ConnectError(`no response in ${LIMIT} seconds`, Code.DeadlineExceeded));
  const timer = setTimeout(late, LIMIT * 1_000);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  try {
    const response = await read({
      // A deadline of the client would end the wait.
      timeoutMs: 0,
      signal: limit.signal,
      ...(after && { headers: { [WAIT_HEADER]: `&after=${after}&wait=${SECONDS}` } }),
      onHeader: (received) => {
        headers = received;
      },
    });
    const state = headers.get("marquee-state") ?? "";
    // A proxy may drop both headers.
    const id = state.split(".")[0] || headers.get("etag") || print(response);
    return { id, after: state, response };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

/** Waits for a time in milliseconds, or until the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}

/** Waits until the tab is hidden, or shown, or until the signal is aborted; without tabs, it is shown. */
function untilHidden(isHidden: boolean, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!signal.aborted && (page?.hidden ?? false) !== isHidden) return;
      page?.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      resolve();
    };
    page?.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}
