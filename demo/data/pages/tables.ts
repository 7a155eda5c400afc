import type { PageRecord } from "../dataset-records.ts";
import { rankGroup } from "../standings.ts";
import type { WorldCup } from "../world-cup.ts";
import type { PageBuilder } from "./page-builder.ts";

const SEASON = "2026";

/** Creates the page with the tables of the groups of 2026. */
export function createTablesPage(
  { page, component }: PageBuilder,
  { matches }: WorldCup,
): PageRecord {
  const played = matches.filter(({ season, group }) => season === SEASON && group !== "");
  const groups = [...Map.groupBy(played, ({ group }) => group)].sort();
  const title = { en: "Tables", de: "Tabellen" };
  return page({ id: "page-tables", slug: "tables", title }, [
    ...groups.map(([group, matches]) =>
      component(`standings-${SEASON}-${group.toLowerCase()}`, `Table of group ${group}`, {
        case: "standings",
        value: {
          season_id: SEASON,
          title: { en: `Group ${group}`, de: `Gruppe ${group}` },
          rows: rankGroup(matches).map(({ team, won, drawn, lost, goals, points }) => ({
            team: { ...team.name },
            played: won + drawn + lost,
            won,
            drawn,
            lost,
            goals: `${goals.home}:${goals.away}`,
            points,
          })),
        },
      }),
    ),
  ]);
}
