import { describe } from "vitest";
import { accessContract } from "./contract/access.ts";
import { accessTokenContract } from "./contract/access-tokens.ts";
import { annotationContract } from "./contract/annotations.ts";
import { bannerCollectionContract } from "./contract/banner-collections.ts";
import { contentContract } from "./contract/content.ts";
import { documentContract } from "./contract/documents.ts";
import { entitlementContract } from "./contract/entitlements.ts";
import { eventContract } from "./contract/events.ts";
import { importContract } from "./contract/import.ts";
import { leaseContract } from "./contract/leases.ts";
import { loadContract } from "./contract/load.ts";
import { offerContract } from "./contract/offers.ts";
import { pageComponentContract } from "./contract/page-components.ts";
import { pageContract } from "./contract/pages.ts";
import { rulesetContract } from "./contract/rulesets.ts";
import { createScenario, type OpenFresh } from "./contract/scenario.ts";
import { secretContract } from "./contract/secrets.ts";
import { signInIntegrationContract } from "./contract/sign-in-integrations.ts";
import { summaryContract } from "./contract/summary.ts";
import { transactionContract } from "./contract/transactions.ts";
import { viewerTokenKeyContract } from "./contract/viewer-token-keys.ts";
import { writerContract } from "./contract/writers.ts";

/** Holds an engine to every sentence of `src/storage/store.ts`; each test has its own database. */
export function storeContract(name: string, openFresh: OpenFresh): void {
  const scenario = createScenario(openFresh);
  describe(`the store on ${name}`, () => {
    describe("loading", () => loadContract(scenario));
    describe("documents", () => documentContract(scenario));
    describe("the list of annotations", () => annotationContract(scenario));
    describe("banner collections", () => bannerCollectionContract(scenario));
    describe("offers", () => offerContract(scenario));
    describe("page components", () => pageComponentContract(scenario));
    describe("pages", () => pageContract(scenario));
    describe("rulesets and videos", () => rulesetContract(scenario));
    describe("sign-in integrations", () => signInIntegrationContract(scenario));
    describe("transactions", () => transactionContract(scenario));
    describe("the summary of transactions", () => summaryContract(scenario));
    describe("entitlements", () => entitlementContract(scenario));
    describe("leases", () => leaseContract(scenario));
    describe("content", () => contentContract(scenario));
    describe("events", () => eventContract(scenario));
    describe("the import of content", () => importContract(scenario));
    describe("access", () => accessContract(scenario));
    describe("access tokens and keys", () => accessTokenContract(scenario));
    describe("secrets", () => secretContract(scenario));
    describe("keys of viewer tokens", () => viewerTokenKeyContract(scenario));
    describe("several writers", () => writerContract(scenario));
  });
}
