import { setTimeout } from "node:timers/promises";
import { getUrl, PROCEDURES } from "../../test/harness/calls.ts";
import { send } from "../../test/harness/http.ts";

/** The options of a load. */
export interface VersionLoadOptions {
  /** The process that takes the writes. */
  readonly writerUrl: string;
  /** Another process. */
  readonly otherUrl: string;
  /** An access token that may write the event. */
  readonly token: string;
  /** A public key of the event's project. */
  readonly key: string;
  readonly eventId: string;
  /** The last version that was written before. */
  readonly from: number;
}

/** The results of the reads of a load. */
export interface VersionLoadResult {
  /** The last version written. */
  readonly version: number;
  readonly reads: number;
  /** Reads that gave an older version than they had to. */
  readonly stale: number;
  /** Reads that were rejected because several others took long, as on a busy machine. */
  readonly rejected: number;
  /** Reads with another response. */
  readonly failed: number;
  readonly rejectedWrites: number;
  /** The longest read, in milliseconds. */
  readonly slowest: number;
}

/** The time within which a process sees what others have changed, in milliseconds (contract: delivery 8). */
const SEEN_WITHIN = 1_000;

const GET_EVENT = "/svc.cda.cms.event.v1.EventService/GetEvent";

let unique = 0;

/** Returns the URL of a read of an event: a repeated one, or a new one. */
function toRead(eventId: string, form: "kept" | "cold"): string {
  if (form === "kept") return getUrl(GET_EVENT, { id: eventId });
  unique += 1;
  return getUrl(PROCEDURES.listEvents, { filter: `id: "${eventId}" or id: "none-${unique}"` });
}

/** Reads the version of an event. */
async function readVersion(
  url: string,
  headers: Record<string, string>,
): Promise<number | "failed" | "rejected"> {
  const got = await send("GET", url, { headers }).catch(() => undefined);
  if (got?.status === 200) return Number(/version (\d+)/.exec(got.text)?.[1] ?? 0);
  if (got?.status === 429) return "rejected";
  console.error(`failed read: ${got?.status} ${got?.text}`);
  return "failed";
}

/**
 * Writes versions of an event, and reads them. The process that writes must show each at once. Another process must
 * show the newest with its token, and without the token within a second.
 */
export async function runVersionLoad(
  { writerUrl, otherUrl, token, key, eventId, from }: VersionLoadOptions,
  milliseconds: number,
): Promise<VersionLoadResult> {
  const end = performance.now() + milliseconds;
  const acknowledged = [{ version: from, time: 0, token: "" }];
  const newest = () => acknowledged.at(-1) as (typeof acknowledged)[number];
  const count = { reads: 0, stale: 0, failed: 0, rejected: 0, rejectedWrites: 0, slowest: 0 };

  async function write(): Promise<void> {
    for (let version = from + 1; performance.now() < end; version += 1) {
      const body = { event: { title: { en: `version ${version}` } }, update_mask: "title" };
      const got = await send("PATCH", `${writerUrl}/cms/events/v1/${eventId}`, {
        ...{ token, body },
      });
      if (got.status === 200) {
        const own = got.headers.get("x-consistency-token") ?? "";
        acknowledged.push({ version, time: performance.now(), token: own });
      } else {
        count.rejectedWrites += 1;
      }
      // With pauses that let replicas catch up, and moments without a pause.
      await setTimeout(version % 5 === 0 ? 400 : 20);
    }
  }

  async function read(url: string, form: "kept" | "cold", sees: "own" | "token" | "later") {
    while (performance.now() < end) {
      const start = performance.now();
      const known = newest();
      const wanted =
        sees === "later"
          ? (acknowledged.findLast(({ time }) => time < start - SEEN_WITHIN)?.version ?? from)
          : known.version;
      const version = await readVersion(url + toRead(eventId, form), {
        authorization: `Bearer ${key}`,
        ...(sees === "token" && known.token !== "" && { "x-consistency-token": known.token }),
      });
      count.reads += 1;
      count.slowest = Math.max(count.slowest, performance.now() - start);
      if (typeof version === "string") count[version] += 1;
      else if (version < wanted) count.stale += 1;
      await setTimeout(2);
    }
  }

  const readers = (["kept", "cold"] as const).flatMap((form) => [
    read(writerUrl, form, "own"),
    read(otherUrl, form, "token"),
    read(otherUrl, form, "later"),
  ]);
  await Promise.all([write(), ...readers]);
  return { ...count, version: newest().version };
}

/** Counts the reads, cached and cold, of all processes that do not return the newest version after the last write. */
export async function countPoisoned(
  urls: readonly string[],
  { key, eventId }: Pick<VersionLoadOptions, "eventId" | "key">,
  version: number,
): Promise<number> {
  await setTimeout(SEEN_WITHIN);
  let poisoned = 0;
  for (const url of urls) {
    for (const form of ["kept", "cold", "kept", "cold"] as const) {
      const headers = { authorization: `Bearer ${key}` };
      if ((await readVersion(url + toRead(eventId, form), headers)) !== version) poisoned += 1;
    }
  }
  return poisoned;
}
