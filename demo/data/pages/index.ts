import { WORLD_CUP } from "../../ids.ts";
import type { PageRecord } from "../dataset-records.ts";
import type { WorldCup } from "../world-cup.ts";
import { createAllHighlightsPage } from "./all-highlights.ts";
import { createHelpPage } from "./help.ts";
import { createHighlightsPage } from "./highlights.ts";
import { createHomePage } from "./home.ts";
import { createMatchPage } from "./match.ts";
import { createPageBuilder } from "./page-builder.ts";
import { createPlayerPage } from "./player.ts";
import { createSearchPage } from "./search.ts";
import { createTablesPage } from "./tables.ts";
import { createTeamPage } from "./team.ts";

/** Creates the pages of the World Cup, which contain each of the nineteen kinds of components. */
export function createPages(facts: WorldCup): readonly PageRecord[] {
  const builder = createPageBuilder(WORLD_CUP);
  return [
    createHomePage(builder),
    createMatchPage(builder),
    createTeamPage(builder),
    createPlayerPage(builder),
    createHighlightsPage(builder),
    createAllHighlightsPage(builder),
    createTablesPage(builder, facts),
    createSearchPage(builder),
    createHelpPage(builder),
  ];
}
