import { create, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Entity, EntitySchema } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { WORLD_CUP } from "../ids.ts";
import { playerId, stadiumId, teamId } from "./ids.ts";
import { pictureUrl, seasonName, untranslated } from "./wording.ts";
import type { Player, Stadium, Team, Text, WorldCup } from "./world-cup.ts";

const CREATED = Date.parse("2025-12-06T09:00:00Z");
const UPDATED = Date.parse("2026-06-02T09:00:00Z");

const POSITIONS: Readonly<Record<string, Text>> = {
  GK: { en: "Goalkeeper", de: "Torwart" },
  DF: { en: "Defender", de: "Abwehr" },
  MF: { en: "Midfielder", de: "Mittelfeld" },
  FW: { en: "Forward", de: "Angriff" },
};

/** Creates the teams of all seasons, the stadiums of each season and the players of 2026. */
export function createEntities({ teams, stadiums, players, matches }: WorldCup): readonly Entity[] {
  const seasons = new Map<Team, Set<string>>();
  for (const { home, away, season } of matches) {
    for (const team of [home, away]) {
      seasons.set(team, (seasons.get(team) ?? new Set()).add(season));
    }
  }
  return [
    ...teams.map((team) => toTeam(team, [...(seasons.get(team) ?? [])])),
    ...stadiums.map(toStadium),
    ...players.map(toPlayer),
  ];
}

function toTeam(team: Team, seasons: readonly string[]): Entity {
  const { code, flag, confederation, continent, group } = team;
  return toEntity(teamId(team), "team", team.name, {
    posterImageUrl: pictureUrl(teamId(team)),
    description: { en: `Team of ${team.name.en}`, de: `Nationalmannschaft: ${team.name.de}` },
    fields: {
      code,
      flag,
      confederation,
      continent,
      ...(group !== "" && { group }),
      season: toSeason(seasons.at(-1) ?? ""),
      season_ids: [...seasons],
    },
  });
}

function toStadium(stadium: Stadium): Entity {
  const { name, city, country, capacity, season } = stadium;
  return toEntity(stadiumId(stadium), "stadium", untranslated(name), {
    posterImageUrl: pictureUrl(`stadium-${stadium.key}`),
    description: { en: `Stadium in ${city}`, de: `Stadion in ${city}` },
    fields: {
      city,
      country,
      ...(capacity !== undefined && { capacity }),
      season: toSeason(season),
    },
  });
}

function toPlayer(player: Player): Entity {
  const { team, number, position, name, born, club } = player;
  const role = POSITIONS[position] ?? untranslated(position);
  return toEntity(playerId(player), "player", untranslated(name), {
    posterImageUrl: pictureUrl(playerId(player), "1:1"),
    description: {
      en: `${role.en} of ${team.name.en}, number ${number}`,
      de: `${role.de}, ${team.name.de}, Nummer ${number}`,
    },
    fields: {
      position,
      number,
      date_of_birth: born,
      gender: "MALE",
      club: { ...club },
      team: { id: teamId(team), name: team.name.en, code: team.code },
      season: toSeason("2026"),
    },
  });
}

function toSeason(season: string): JsonObject {
  return { id: season, name: seasonName(season).en };
}

function toEntity(
  id: string,
  contentType: string,
  title: Text,
  rest: Pick<Entity, "posterImageUrl"> & {
    readonly description: Text;
    readonly fields: JsonObject;
  },
): Entity {
  return create(EntitySchema, {
    id,
    projectId: WORLD_CUP,
    title,
    contentType,
    visibility: Visibility.PUBLISHED,
    createTime: timestampFromMs(CREATED),
    updateTime: timestampFromMs(UPDATED),
    ...rest,
  });
}
