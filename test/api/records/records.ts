import { randomUUID } from "node:crypto";
import { useMarquee } from "../../harness/use-marquee.ts";
import { ok } from "../iam/iam.ts";
import { callRest } from "../studio.ts";

/** Starts a service whose project `sandbox` records are written to. */
export async function useRecords() {
  const marquee = await useMarquee();
  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    callRest(marquee, method, path, body, headers);
  return {
    marquee,
    call,
    /** Writes records; `more` are further fields of the request. */
    write: (records: readonly object[], more: object = {}, headers = {}) =>
      call("POST", "cms/records/v1:write", { project_id: "sandbox", records, ...more }, headers),
    /** Returns what a path is read as. */
    get: async (path: string) => ok(await call("GET", path)),
    /** Returns an id that nothing else has. */
    idOf: (name: string) => `${name}-${randomUUID().slice(0, 8)}`,
  };
}
