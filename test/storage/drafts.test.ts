import { describe } from "vitest";
import { isReleasable } from "../../src/domain/kinds.ts";
import { ENGINE } from "../harness/engine.ts";
import { contentContract } from "./contract/content.ts";
import { contentDocumentContract } from "./contract/content-documents.ts";
import { documentLifeContract } from "./contract/document-life.ts";
import { documentPartsContract } from "./contract/document-parts.ts";
import { DOCUMENT_SAMPLES } from "./contract/document-samples.ts";
import { documentContract } from "./contract/documents.ts";
import { eventContract } from "./contract/events.ts";
import { offerContract } from "./contract/offers.ts";
import { pageComponentContract } from "./contract/page-components.ts";
import { pageContract } from "./contract/pages.ts";
import { rulesetContract } from "./contract/rulesets.ts";
import { createScenario } from "./contract/scenario.ts";
import { visibilityContract } from "./contract/visibility.ts";
import { windowsContract } from "./contract/windows.ts";
import { openDrafted } from "./drafted-store.ts";

const LOCATE =
  "what has drafts alone is located in its release, and referred to once it is applied";
const APPLY = "rules between resources hold when the release is applied";
const LIST = "lists of the Studio API show the current version";
const REVISION = "the revision of a draft is a hash of its values";
const WRITES_CURRENT = "deletes current resources, or a project, which has none of these parts";

/** The cases that do not hold for drafts, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "is read as it was made, and located": LOCATE,
  "an id is free in another organization, and distinguished": LOCATE,
  "what a component shows is referred to until it is gone": LOCATE,
  "content refers to entities and videos until it is gone": LOCATE,
  "what was bought goes with the transaction": LOCATE,
  "nothing is written into what lies in another organization": APPLY,
  "what would lie in nothing is NOT_FOUND": APPLY,
  "what rejects a page as it becomes undoes the change": APPLY,
  "a change of a place sees its page in order, as it becomes": APPLY,
  "what may not be created is not kept": APPLY,
  "a slug is that of one page of a project": APPLY,
  "a list goes on where a page of it ended": LIST,
  "an offer opens videos while it is available": "playback reads the current version",
  "an update that changes nothing writes nothing": REVISION,
  "a revision never comes back": REVISION,
  "a project that is made again is empty": WRITES_CURRENT,
  "a check that throws keeps every part": WRITES_CURRENT,
  ...Object.fromEntries(
    [
      ...["no place", "0", "1", "3", "99"].map(
        (it) => `a component that is created at ${it} lies there`,
      ),
      ...["abf", "fba", "bfa", "afb"].map((it) => `a page is put in the order ${it}`),
      ...["asc", "desc"].map(
        (it) => `a list goes on behind its last component, ${it}, whatever comes and goes`,
      ),
      "those behind a deleted component move up",
    ].map((name) => [name, LIST]),
  ),
};

const scenario = createScenario(openDrafted, EXCEPTIONS);
const SAMPLES = DOCUMENT_SAMPLES.filter(({ kind }) => isReleasable(kind));

describe(`the store on ${ENGINE}, where every resource is a draft`, () => {
  describe("documents", () => documentContract(scenario));
  describe("the life of", () => documentLifeContract(scenario, SAMPLES));
  describe("parts", () => documentPartsContract(scenario));
  describe("offers", () => offerContract(scenario));
  describe("page components", () => pageComponentContract(scenario));
  describe("pages", () => pageContract(scenario));
  describe("rulesets and videos", () => rulesetContract(scenario));
  describe("content", () => contentContract(scenario));
  describe("documents of content", () => contentDocumentContract(scenario));
  describe("events", () => eventContract(scenario));
  describe("visibility", () => visibilityContract(scenario));
  describe("windows", () => windowsContract(scenario, 60));
});
