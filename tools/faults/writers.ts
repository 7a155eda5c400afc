import { setTimeout } from "node:timers/promises";
import { type HttpResponse, send } from "../../test/harness/http.ts";

/** The pause of a writer before it repeats a write, in milliseconds. */
const RETRY_PAUSE = 50;

/** How writers write. */
export interface WriterOptions {
  readonly url: string;
  /** An access token of the demo's owner. */
  readonly token: string;
  /** The prefix of the names of the writes. */
  readonly prefix: string;
  /** The writers at the same time; each waits for the response to one write before the next. */
  readonly count: number;
  /** The path of the create call. */
  readonly path: string;
  /** Returns the body of the write of a name. */
  readonly toBody: (name: string) => object;
  /** Pause after each write, in milliseconds; default: 0. */
  readonly pause?: number;
}

/** Writers that repeat each write with its `request_id` until it is acknowledged. */
export interface Writers {
  /** The responses to acknowledged writes, by name. */
  readonly acknowledged: ReadonlyMap<string, HttpResponse>;
  /** Attempts without a response, and with a 503. */
  readonly lost: () => number;
  readonly unavailable: () => number;
  /** The longest time of an attempt, in milliseconds. */
  readonly slowest: () => number;
  /** Waits for more acknowledged writes. Throws if that takes 30 seconds. */
  acknowledge(count: number): Promise<void>;
  /** Ends after the writes that were begun. Throws if one got another response than 200 or 503. */
  stop(): Promise<void>;
}

/** Starts writers. */
export function startWriters(options: WriterOptions): Writers {
  const { url, token, prefix, count, path, toBody, pause = 0 } = options;
  const acknowledged = new Map<string, HttpResponse>();
  let lost = 0;
  let unavailable = 0;
  let slowest = 0;
  let isOver = false;

  async function tryOnce(name: string): Promise<boolean> {
    const address = `${url}${path}?request_id=${name}`;
    const start = performance.now();
    const got = await send("POST", address, { token, body: toBody(name) }).catch(() => undefined);
    slowest = Math.max(slowest, performance.now() - start);
    if (got === undefined) lost += 1;
    else if (got.status === 503) unavailable += 1;
    else if (got.status === 200) acknowledged.set(name, got);
    else throw new Error(`${path}: ${got.status} ${got.text}`);
    return got?.status === 200;
  }

  async function write(writer: number): Promise<void> {
    for (let number = 0; !isOver; number += 1) {
      while (!(await tryOnce(`${prefix}${writer}-${number}`))) await setTimeout(RETRY_PAUSE);
      await setTimeout(pause);
    }
  }

  const writing = Promise.all(Array.from({ length: count }, (_, writer) => write(writer)));
  writing.catch((cause: unknown) => console.error(cause));
  return {
    acknowledged,
    lost: () => lost,
    unavailable: () => unavailable,
    slowest: () => slowest,
    async acknowledge(more) {
      const wanted = acknowledged.size + more;
      const end = performance.now() + 30_000;
      while (acknowledged.size < wanted) {
        if (performance.now() > end) throw new Error("no writes are acknowledged");
        await setTimeout(10);
      }
    },
    async stop() {
      isOver = true;
      await writing;
    },
  };
}

/** The call that creates a ruleset. */
export const RULESETS = "/streaming/video_protection/v2/rulesets";

/** Returns the body of a ruleset of the demo's first project … */
export const toRuleset = (name: string) => ({ project_id: "worldcup", name });
/** … and of its second one. */
export const toSandboxRuleset = (name: string) => ({ project_id: "sandbox", name });

/** Lists the names of all rulesets of a project, with repetitions. */
export async function listRulesets(
  url: string,
  token: string,
  projectId = "worldcup",
): Promise<readonly string[]> {
  const names: string[] = [];
  for (let page = ""; ; ) {
    const query = `project_id=${projectId}&page_size=1000&page_token=${encodeURIComponent(page)}`;
    const { status, text, json } = await send("GET", `${url}${RULESETS}?${query}`, { token });
    if (status !== 200) throw new Error(`rulesets not listed: ${status} ${text}`);
    for (const { name } of json.video_protection_rulesets ?? []) names.push(name);
    page = json.next_page_token ?? "";
    if (page === "") return names;
  }
}
