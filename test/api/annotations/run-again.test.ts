import { afterAll, describe, expect, test } from "vitest";
import { startServer } from "../../../src/server.ts";
import type { Store } from "../../../src/storage/store.ts";
import { send } from "../../harness/http.ts";
import { silentLog, startMarquee } from "../../harness/marquee.ts";
import { ok } from "../iam/iam.ts";
import { methodSamples } from "../method-samples.ts";
import { findMethods, procedureOf } from "../methods.ts";

/*
 * An engine may undo a transaction because of another and call its `run` again. Here each one is undone
 * the first time.
 */

let runs = 0;
const marquee = await startMarquee();
const server = await startServer({
  store: undoingOnce(marquee.store),
  log: silentLog(),
  clock: () => new Date(),
  identityIssuers: [],
  reflection: false,
  runsActions: false,
  listen: { host: "127.0.0.1", port: 0 },
});
afterAll(async () => {
  await server.close(1_000);
  await marquee.close();
});

/** Gives a store whose transactions are carried out, undone and carried out again. */
function undoingOnce(store: Store): Store {
  const undone = new Error("undone");
  return {
    ...store,
    async transaction(scope, run) {
      const first = store.transaction(scope, async (unit) => {
        await run(unit);
        throw undone;
      });
      await first.catch((fault) => {
        if (fault !== undone) throw fault;
        runs += 1;
      });
      return store.transaction(scope, run);
    },
  };
}

const WRITES = (await findMethods()).filter(
  (method) =>
    method.input.fields.some((field) => field.name === "validate_only") &&
    methodSamples[procedureOf(method)] !== undefined,
);

describe("a call whose transaction runs twice answers as one that ran once", () => {
  for (const method of WRITES) {
    test(procedureOf(method), async () => {
      const sample = methodSamples[procedureOf(method)];
      const message =
        typeof sample?.message === "function" ? await sample.message(marquee) : sample?.message;
      const post = async (url: string, extra: object) =>
        send("POST", `${url}/${procedureOf(method)}`, {
          token: marquee.tokens.owner,
          headers: { "connect-protocol-version": "1" },
          body: { ...message, ...extra },
        });
      const once = await post(marquee.url, { validateOnly: true });
      const before = runs;
      const twice = await post(server.studioUrl, {});
      expect(runs).toBe(before + 1);
      expect(shapeOf(ok(twice))).toEqual(shapeOf(ok(once)));
      for (const name of ["marquee-warnings", "cache-control"]) {
        expect(twice.headers.get(name)).toBe(once.headers.get(name));
      }
    });
  }
});

/** Every path of an answer, without what differs from call to call. */
function shapeOf(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([name, each]) => shapeOf(each, `${path}.${name}`));
}
