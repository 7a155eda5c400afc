import { stat } from "node:fs/promises";
import { open, type Reader, type Response } from "maxmind";
import type { Logger } from "pino";
import { Code, DomainError } from "../domain/errors.ts";

/** How often is looked for a newer file, in milliseconds. */
const POLL_INTERVAL = 1_000;

/** Addresses that are looked up once to see that a file can be read. */
const PROBES = ["0.0.0.0", "255.255.255.255", "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"];

/** What a file in MaxMind's format tells of addresses. */
export interface AddressDatabase {
  /** Finds the record of an address; `undefined` if there is none. */
  find(address: string): unknown;
  /** When the data were put together, as they say themselves. */
  readonly buildTime: Date;
  /** Looks for a newer file no more. */
  close(): void;
}

/** How a database is opened. */
export interface AddressDatabaseOptions {
  readonly path: string;
  /** The setting that names the file, for messages. */
  readonly setting: string;
  readonly log: Logger;
  /** How often is looked for a newer file, in milliseconds. */
  readonly pollInterval?: number;
}

/**
 * Opens a file and takes over a newer one soon after it has been put there. A newer one that cannot be
 * read is logged, and the older one stays. FAILED_PRECONDITION `ADDRESS_DATABASE_UNREADABLE` if there
 * is nothing to begin with.
 */
export async function openAddressDatabase({
  path,
  setting,
  log,
  pollInterval = POLL_INTERVAL,
}: AddressDatabaseOptions): Promise<AddressDatabase> {
  const load = async () => ({ state: await readState(path), reader: await readFile(path) });
  let { state: tried, reader } = await load().catch((cause: unknown) => {
    const message = `${setting}: '${path}' cannot be read`;
    throw new DomainError(Code.FAILED_PRECONDITION, "ADDRESS_DATABASE_UNREADABLE", message, {
      cause,
    });
  });
  let seen = tried;

  async function refresh(): Promise<void> {
    const state = await readState(path);
    // A file that is still being written is left alone until it stays as it is.
    const isSettled = state === seen;
    seen = state;
    if (!isSettled || state === tried) return;
    tried = state;
    try {
      reader = await readFile(path);
      const { buildEpoch } = reader.metadata;
      log.info({ setting, path, build_time: buildEpoch }, "address database loaded");
    } catch (fault) {
      log.error({ err: fault, setting, path }, "address database unreadable, the older one stays");
    }
  }

  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    refresh().finally(() => {
      isBusy = false;
    });
  }, pollInterval);
  timer.unref();

  return {
    find(address) {
      // A tree for IPv4 would take an IPv6 address for another one.
      if (reader.metadata.ipVersion === 4 && address.includes(":")) return undefined;
      try {
        return reader.get(address) ?? undefined;
      } catch (fault) {
        log.error({ err: fault, setting, path }, "address database has an unreadable record");
        return undefined;
      }
    },
    get buildTime() {
      return reader.metadata.buildEpoch;
    },
    close: () => clearInterval(timer),
  };
}

/** Reads what changes with a file; a file that is away has a state too. */
async function readState(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return [ino, size, mtimeMs].join();
  } catch {
    return "away";
  }
}

async function readFile(path: string): Promise<Reader<Response>> {
  const reader = await open<Response>(path);
  if (Number.isNaN(reader.metadata.buildEpoch.getTime())) throw new Error("it has no build time");
  const { ipVersion } = reader.metadata;
  for (const probe of PROBES) {
    if (ipVersion === 6 || !probe.includes(":")) reader.get(probe);
  }
  return reader;
}
