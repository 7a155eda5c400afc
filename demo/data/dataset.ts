import { SANDBOX, WORLD_CUP } from "../ids.ts";
import { createActions } from "./actions.ts";
import { CLIP, createAnnotations, createAnnotationTypes, NOTIFICATION } from "./annotations.ts";
import { createBannerCollections } from "./banners.ts";
import type { Dataset } from "./dataset-records.ts";
import { createEntities } from "./entities.ts";
import { createHighlights, hasHighlights } from "./highlights.ts";
import { ELSEWHERE } from "./ids.ts";
import { createMatch } from "./matches.ts";
import { createOffers, OFFERS } from "./offers.ts";
import {
  accounts,
  bindings,
  createSignInIntegrations,
  organizations,
  projects,
} from "./organizations.ts";
import { createPages } from "./pages/index.ts";
import { createPressConferences } from "./press-conferences.ts";
import { createReplayChannel, createReplays } from "./replays.ts";
import { createRulesets } from "./rulesets.ts";
import { createSmallProject, type ProjectContent } from "./small-project.ts";
import { createTransactions } from "./transactions.ts";
import { createHighlightsVideo, createMatchVideo } from "./videos.ts";
import { readWorldCup } from "./world-cup.ts";

/**
 * Creates the demo: an organization with the World Cups of 2018, 2022 and 2026 and a sandbox, and
 * another organization. Deterministic; ids are unique across the dataset.
 */
export function createDemoDataset(): Dataset {
  const contents = [
    createWorldCupProject(),
    createSmallProject("Sandbox", { projectId: SANDBOX, first: 3001, count: 200 }),
    createSmallProject("Elsewhere", { projectId: ELSEWHERE, first: 3201, count: 100 }),
  ];
  return {
    organizations,
    projects,
    accounts,
    bindings,
    entities: contents.flatMap((content) => content.entities),
    creativeWorks: contents.flatMap((content) => content.creativeWorks),
    events: contents.flatMap((content) => content.events),
    videos: contents.flatMap((content) => content.videos),
    actions: contents.flatMap((content) => content.actions ?? []),
    annotationTypes: contents.flatMap((content) => content.annotationTypes),
    annotations: contents.flatMap((content) => content.annotations),
    bannerCollections: contents.flatMap((content) => content.bannerCollections),
    pages: contents.flatMap((content) => content.pages),
    rulesets: contents.flatMap((content) => content.rulesets),
    offers: contents.flatMap((content) => content.offers),
    transactions: contents.flatMap((content) => content.transactions),
    signInIntegrations: createSignInIntegrations(),
  };
}

function createWorldCupProject(): ProjectContent {
  const facts = readWorldCup();
  const highlighted = facts.matches.filter(hasHighlights);
  return {
    entities: createEntities(facts),
    creativeWorks: highlighted.map(createHighlights),
    events: [
      ...facts.matches.map(createMatch),
      ...createPressConferences(),
      ...createReplays(highlighted),
    ],
    videos: [
      ...facts.matches.map(createMatchVideo),
      ...highlighted.map(createHighlightsVideo),
      createReplayChannel(),
    ],
    actions: createActions(WORLD_CUP, { clip: CLIP, notification: NOTIFICATION }),
    annotationTypes: createAnnotationTypes(),
    annotations: facts.matches.flatMap(createAnnotations),
    bannerCollections: createBannerCollections(),
    pages: createPages(facts),
    rulesets: createRulesets(),
    offers: createOffers(),
    transactions: createTransactions({
      projectId: WORLD_CUP,
      offers: OFFERS,
      first: 1,
      count: 3000,
    }),
  };
}
