import { Writable } from "node:stream";
import { pino } from "pino";
import { startServer } from "../../src/server.ts";
import { type HttpAnswer, send } from "../harness/http.ts";
import type { Marquee } from "../harness/marquee.ts";
import { override } from "../harness/override.ts";

/** The method of the store that throws. */
export type FaultPlace = "get" | "findAccount" | "listBindings";

/** A service over another one's data whose store throws what a test wants. */
export interface FaultyService {
  fail(place: FaultPlace, fault: () => Promise<never>): void;
  /** The same read of an annotation type on both faces. */
  calls(headers?: Readonly<Record<string, string>>): {
    rest(): Promise<HttpAnswer>;
    connect(): Promise<HttpAnswer>;
  };
  /** What was logged since the last time. */
  takeLog(): string;
  close(): Promise<void>;
}

const PROCEDURE =
  "svc.studio.annotations.annotation_type.v1.AnnotationTypeService/GetActionConfiguration";

/** Starts the service; it logs errors only, and for tests to read. */
export async function startFaultyService({ store, tokens }: Marquee): Promise<FaultyService> {
  let place: FaultPlace | undefined;
  let fault: () => Promise<never> = () => Promise.reject(new Error("no fault is set"));
  let log = "";
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      log += String(chunk);
      done();
    },
  });
  const at =
    <A extends unknown[], R>(name: FaultPlace, real: (...args: A) => Promise<R>) =>
    (...args: A) =>
      place === name ? fault() : real(...args);
  const { annotation_type: types } = store.in("org-worldcup").documents;
  const server = await startServer({
    store: override(store, {
      access: override(store.access, {
        findAccount: at("findAccount", (hash, now) => store.access.findAccount(hash, now)),
        listBindings: at("listBindings", (account) => store.access.listBindings(account)),
      }),
      in(organizationId) {
        const organization = store.in(organizationId);
        const get = at("get", (id: string) => types.get(id));
        const documents = override(organization.documents, {
          annotation_type: override(types, { get }),
        });
        return override(organization, { documents });
      },
    }),
    log: pino({ level: "error" }, stream),
    clock: () => new Date(),
    identityIssuers: [],
    reflection: false,
    listen: { host: "127.0.0.1", port: 0 },
  });
  const token = tokens.owner;
  return {
    fail(where, what) {
      place = where;
      fault = what;
    },
    calls: (headers = {}) => ({
      rest: () =>
        send("GET", `${server.studioUrl}/annotations/types/v1/type-goal/action_configuration`, {
          token,
          headers,
        }),
      connect: () =>
        send("POST", `${server.studioUrl}/${PROCEDURE}`, {
          token,
          headers: { "connect-protocol-version": "1", ...headers },
          body: { annotationTypeId: "type-goal" },
        }),
    }),
    takeLog() {
      const taken = log;
      log = "";
      return taken;
    },
    close: () => server.close(1_000),
  };
}
