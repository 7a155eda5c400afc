import { describe, expect } from "vitest";
import type { Store } from "../../../src/storage/contract/store.ts";
import { openPostgresStore } from "../../../src/storage/postgres/open.ts";
import { ENGINE } from "../../harness/engine.ts";
import { type OpenFresh, openFresh } from "../../harness/fresh-store.ts";
import { KeptClient } from "../../harness/kept-client.ts";
import { override } from "../../harness/override.ts";
import { queryDatabase } from "../../harness/postgres-databases.ts";
import { annotationContract } from "../contract/annotations.ts";
import { contentContract } from "../contract/content.ts";
import { eventContract } from "../contract/events.ts";
import { offerContract } from "../contract/offers.ts";
import { pageContract } from "../contract/pages.ts";
import { rulesetContract } from "../contract/rulesets.ts";
import { createScenario } from "../contract/scenario.ts";
import { visibilityContract } from "../contract/visibility.ts";

/** Finds the function below before that of the server, which says that it is no replica. */
const SEARCH_PATH = "options=-c%20search_path%3Dpublic%2Cpg_catalog";
const IS_REPLICA =
  "create or replace function pg_is_in_recovery() returns boolean language sql as 'select true'";

/** Opens a database whose reads of the Delivery API are those of a replica: the same server, never behind. */
const openReplicated: OpenFresh = async (content) => {
  const fresh = await openFresh(content);
  const { address } = fresh;
  if (address.engine !== "postgres") throw new Error("replicas are of PostgreSQL");
  await queryDatabase(address.url, IS_REPLICA);
  const replica = `${address.url}${address.url.includes("?") ? "&" : "?"}${SEARCH_PATH}`;
  const stores: Store[] = [];
  const open = async () => {
    const store = await openPostgresStore(address, {
      Client: KeptClient,
      replicas: [{ engine: "postgres", url: replica }],
    });
    stores.push(store);
    return override(store, { ...store.delivery, access: store.access });
  };
  return {
    ...fresh,
    store: await open(),
    openAnother: open,
    async close() {
      for (const store of stores) {
        // A read that fails takes the replica out of use, and the primary serves it.
        expect(store.listReplicas?.().map(({ state }) => state)).toEqual(["used"]);
        await store.close();
      }
      await fresh.close();
    },
  };
};

const scenario = createScenario(openReplicated);

describe.runIf(ENGINE === "postgres")("the store on PostgreSQL, read from a replica", () => {
  describe("the list of annotations", () => annotationContract(scenario));
  describe("offers", () => offerContract(scenario));
  describe("pages", () => pageContract(scenario));
  describe("rulesets and videos", () => rulesetContract(scenario));
  describe("content", () => contentContract(scenario));
  describe("events", () => eventContract(scenario));
  describe("visibility", () => visibilityContract(scenario));
});
