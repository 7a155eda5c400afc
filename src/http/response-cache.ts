import { fromJsonString, toJsonString } from "@bufbuild/protobuf";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { ByteBoundedMap } from "./byte-bounded-map.ts";
import type { Answer, Exchange } from "./exchange.ts";

/** What the cache has to know of the data and of those who ask. */
export interface CacheSource {
  /** A number that is another after every change of anything, by any process. */
  version(): number;
  /** A number that is another after every change of a project's content. */
  projectRevision(projectId: string): Promise<number>;
  /** Finds the project of a public key in an Authorization header; no other caller shares answers. */
  findProject(authorization: string): Promise<string | undefined>;
}

/** Keeps answers to reads that a public key alone took part in, as the bytes that are sent. */
export interface ResponseCache {
  /**
   * Answers a read from memory, or by `fetch`, once however many ask for the same at the same time.
   * What is kept is dropped when the project changes: a change is seen by the next read.
   */
  answer(
    exchange: Exchange,
    handler: UniversalHandler,
    fetch: () => Promise<Answer>,
  ): Promise<Answer>;
}

/** Creates a cache of answers that takes about so many bytes at the most. */
export function createResponseCache(source: CacheSource, maxBytes: number): ResponseCache {
  const kept = new ByteBoundedMap<Entry>(
    maxBytes,
    (key, { answer }) => key.length + answer.body.length + ENTRY_BYTES,
  );
  const canonical = new ByteBoundedMap<string>(
    maxBytes / 16,
    (query, message) => query.length + message.length + ENTRY_BYTES,
  );
  const projects = new ByteBoundedMap<Caller>(maxBytes / 64, (key) => key.length + ENTRY_BYTES);
  const flights = new Map<string, Promise<Answer>>();

  return {
    async answer(exchange, handler, fetch) {
      const version = source.version();
      const message = readMessage(exchange, handler);
      const projectId = message === undefined ? undefined : await findProject(exchange, version);
      if (message === undefined || projectId === undefined) return fetch();
      const encodings = exchange.request.headers["accept-encoding"] ?? "";
      // A project's id holds no line break, and neither do a path and a header: no two keys are one.
      const key = [projectId, exchange.path, encodings, message].join("\n");

      const entry = kept.get(key);
      if (entry?.version === version) return entry.answer;
      const revision = await source.projectRevision(projectId);
      if (entry?.revision === revision) {
        kept.set(key, { ...entry, version });
        return entry.answer;
      }
      const flightKey = `${revision}\n${key}`;
      const flight = flights.get(flightKey);
      if (flight !== undefined) {
        const answer = await flight.catch(() => undefined);
        return answer !== undefined && isShared(answer) ? answer : fetch();
      }
      const own = fetch();
      flights.set(flightKey, own);
      try {
        const answer = await own;
        if (isShared(answer)) kept.set(key, { answer, version, revision });
        return answer;
      } finally {
        flights.delete(flightKey);
      }
    },
  };

  /** Writes a request message in its one form, so that `"10"` and `10` are one entry. */
  function readMessage({ query, path }: Exchange, { method }: UniversalHandler) {
    const key = `${path}?${query}`;
    const known = canonical.get(key);
    if (known !== undefined) return known;
    const parameters = new URLSearchParams(query);
    const isPlain = !parameters.has("base64") && !parameters.has("compression");
    const text = parameters.get("message");
    if (!isPlain || text === null || parameters.get("encoding") !== "json") return undefined;
    try {
      const message = fromJsonString(method.input, text, { ignoreUnknownFields: true });
      const form = toJsonString(method.input, message);
      canonical.set(key, form);
      return form;
    } catch {
      return undefined;
    }
  }

  async function findProject({ request }: Exchange, version: number) {
    const { authorization } = request.headers;
    if (authorization === undefined) return undefined;
    const known = projects.get(authorization);
    if (known?.version === version) return known.projectId;
    const projectId = await source.findProject(authorization);
    if (projectId === undefined) projects.delete(authorization);
    else projects.set(authorization, { projectId, version });
    return projectId;
  }
}

interface Entry {
  readonly answer: Answer;
  /** The newest version that the entry was seen to hold for. */
  readonly version: number;
  readonly revision: number;
}

interface Caller {
  readonly projectId: string;
  readonly version: number;
}

/** What an entry takes beside its bytes, about. */
const ENTRY_BYTES = 512;

function isShared({ status, headers }: Answer): boolean {
  return status === 200 && headers["cache-control"]?.startsWith("public") === true;
}
