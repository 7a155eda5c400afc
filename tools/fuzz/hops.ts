import { issueDemoCredentials } from "../../demo/credentials.ts";
import { createRandom, type Random } from "../../demo/data/random.ts";
import { getUrl } from "../../test/harness/calls.ts";
import type { OpenFresh } from "../../test/harness/fresh-store.ts";
import { type HttpResponse, send } from "../../test/harness/http.ts";
import { startOver } from "../../test/harness/marquee.ts";
import { pick } from "./values.ts";

/** How many responses to waits are checked. */
export interface HopFuzzing {
  readonly openFresh: OpenFresh;
  readonly hops: number;
  readonly clients: number;
  readonly seed: number;
  /** Called with each error as soon as it is found. */
  readonly onError?: (error: string) => void;
}

/** The results of a run. */
export interface HopsFuzzed {
  readonly hops: number;
  /** The hops to a newer score. */
  readonly news: number;
  readonly errors: readonly string[];
}

const EVENTS = ["match-2026-101", "match-2026-102", "match-2026-103", "match-2026-104"];
const CODINGS = ["identity", "gzip", "br"];
const WAIT_SECONDS = 2;
/** The rest between two writes, in milliseconds: most hops then find that their score has changed. */
const WRITE_REST = 100;

/** Higher than the scores of the demo. */
const FIRST_SCORE = 100;

/** The newest response of a client. */
interface Seen {
  readonly state: string;
  readonly score: number;
}

/**
 * Lets clients wait for scores that rise, each hop at either of two processes and in any coding. The second process reads
 * the writes of the first one up to 250 ms later. No client may see a lower score after a higher one, the same score
 * with another state, or a response without news before its wait has ended.
 */
export async function fuzzHops({
  openFresh,
  hops,
  clients,
  seed,
  onError = () => {},
}: HopFuzzing): Promise<HopsFuzzed> {
  const fresh = await openFresh("demo");
  const stores = [fresh.store, await fresh.openAnother()];
  const servers = await Promise.all(
    stores.map((store) => startOver(store, { limits: { cacheMib: 8 } })),
  );
  const { projects, accounts } = await issueDemoCredentials(fresh.store, undefined, new Date());
  const [studio] = servers;
  const errors: string[] = [];
  let [done, news, score] = [0, 0, FIRST_SCORE];

  const write = async () => {
    while (done < hops) {
      score += 1;
      const id = EVENTS[score % EVENTS.length];
      const { status, text } = await send("PATCH", `${studio?.studioUrl}/cms/events/v1/${id}`, {
        token: accounts.owner,
        headers: { "x-project-id": "worldcup" },
        body: { event: { fields: { score: { home: score } } }, update_mask: "fields" },
      });
      if (status !== 200) throw new Error(text);
      await new Promise((resolve) => setTimeout(resolve, WRITE_REST));
    }
  };

  const read = async (id: string, after: string, random: Random): Promise<HttpResponse> => {
    const { deliveryUrl } = pick(random, servers);
    const wait = after && `&after=${after}&wait=${WAIT_SECONDS}`;
    const url = getUrl("/svc.cda.cms.event.v1.EventService/GetEvent", { id });
    const headers = { "accept-encoding": pick(random, CODINGS) };
    return send("GET", `${deliveryUrl}${url}&key=${projects[0]?.public_key}${wait}`, { headers });
  };

  const follow = async (number: number) => {
    const random = createRandom(seed * 100_000 + number);
    const id = pick(random, EVENTS);
    let seen = toSeen(await read(id, "", random));
    while (done < hops) {
      const start = performance.now();
      const got = toSeen(await read(id, seen.state, random));
      const ms = performance.now() - start;
      if (done >= hops) return;
      done += 1;
      if (got.score > seen.score) news += 1;
      const error = findError(seen, got, ms);
      if (error !== undefined) {
        errors.push(`seed ${seed}, client ${number}: ${error}`);
        onError(error);
      }
      seen = got;
    }
  };

  const following = Array.from({ length: clients }, (_, number) => follow(number));
  await Promise.all([write(), ...following]);
  for (const server of servers) await server.close(1_000);
  await fresh.close();
  return { hops: done, news, errors };
}

function toSeen({ status, headers, json, text }: HttpResponse): Seen {
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return {
    state: headers.get("marquee-state") ?? "",
    score: json.event.fields.score.home,
  };
}

/** Returns what is wrong with a hop; undefined if nothing is. */
function findError(before: Seen, after: Seen, ms: number): string | undefined {
  const isSame = hashOf(before) === hashOf(after);
  if (after.score < before.score) return `${after.score} after ${before.score}`;
  if (isSame !== (after.score === before.score)) {
    return `${before.state} is ${before.score}, and ${after.state} is ${after.score}`;
  }
  if (isSame && ms < WAIT_SECONDS * 1_000 - 5) return `no news after ${ms} ms`;
  return undefined;
}

function hashOf({ state }: Seen): string | undefined {
  return state.split(".")[0];
}
