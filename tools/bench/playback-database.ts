import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { OfferSchema } from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { VideoSchema } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { createToken, hashToken } from "../../src/auth/token.ts";
import { openViewerTokens } from "../../src/auth/viewer-token.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import { loadDataset } from "../../test/harness/load-dataset.ts";
import { keepProjectKey } from "../../test/storage/project-key.ts";
import { ALPHA, createSmallDataset, createTransaction } from "../../test/storage/small-dataset.ts";

/** How many users are signed in, each with an entitlement to everything. */
const USERS = 200;

/** A database with videos to play, and what their players send. */
export interface PlaybackDatabase {
  readonly database: string;
  readonly publicKey: string;
  /** Tokens of users who may play everything. */
  readonly viewerTokens: readonly string[];
}

/** Which rulesets decide: rulesets that let all viewers play, or rulesets that count streams. */
export type PlaybackKind = "open" | "counted";

/** The id of the video of a number. */
export function toVideoId(number: number): string {
  return `video-${number}`;
}

/** How many events show each of the busy videos. */
export const BUSY_EVENTS = 10_000;

/** The videos that very many events show. */
export const BUSY_VIDEOS: readonly string[] = Array.from({ length: 5 }, (_, it) => `busy-${it}`);

/** Makes a database of so many rulesets and videos, each with an event, and of the busy videos. */
export async function preparePlaybackDatabase(
  path: string,
  kind: PlaybackKind,
  { rulesets, videos }: { readonly rulesets: number; readonly videos: number },
): Promise<PlaybackDatabase> {
  const now = new Date();
  const numbers = Array.from({ length: videos }, (_, number) => number);
  const users = Array.from({ length: USERS }, (_, number) => `user-${number}`);
  const store = openSqliteStore(path);
  await loadDataset(
    store,
    createSmallDataset({
      videos: [...numbers.map(toVideoId), ...BUSY_VIDEOS].map((id) =>
        create(VideoSchema, {
          id,
          projectId: ALPHA,
          playlistUrl: `https://media.example/${ALPHA}/${id}/playlist.m3u8`,
        }),
      ),
      events: [
        ...numbers.map((number) => createVideoEvent(number, [toVideoId(number)])),
        ...Array.from({ length: BUSY_EVENTS }, (_, number) =>
          createVideoEvent(videos + number, BUSY_VIDEOS),
        ),
      ],
      rulesets: Array.from({ length: rulesets }, (_, number) => createRuleset(number, kind)),
      offers: [create(OfferSchema, { id: "all", projectId: ALPHA, opens: { everything: true } })],
      transactions: users.map((userId) =>
        createTransaction(userId, { userId, offerId: "all", captureTime: timestampFromDate(now) }),
      ),
    }),
  );
  const publicKey = createToken("public");
  await keepProjectKey(store, ALPHA, "public", hashToken(publicKey));
  const tokens = await openViewerTokens(store, now);
  const end = new Date(Math.floor(now.getTime() / 1_000) * 1_000 + 3_600_000);
  const viewerTokens = await Promise.all(
    users.map((userId) => tokens.sign({ projectId: ALPHA, userId }, now, end)),
  );
  await store.close();
  return { database: path, publicKey, viewerTokens };
}

function createVideoEvent(number: number, videoIds: readonly string[]) {
  return create(EventSchema, {
    id: `event-${number}`,
    projectId: ALPHA,
    title: { en: `Team ${number % 200} vs Team ${(number * 7) % 200}` },
    contentType: number % 3 === 0 ? "show" : "match",
    visibility: Visibility.PUBLISHED,
    startTime: timestampFromDate(new Date(Date.UTC(2020, 0, 1 + (number % 2_000)))),
    entityIds: [`team-${number % 200}`, `team-${(number * 7) % 200}`],
    videoIds: [...videoIds],
    fields: {
      season: { id: String(1966 + (number % 60)) },
      round: `Matchday ${(number % 34) + 1}`,
      attendance: number % 90_000,
    },
  });
}

/** The first one applies to all and comes last; the others take turns in how they choose. */
function createRuleset(number: number, kind: PlaybackKind): VideoProtectionRuleset {
  const counts: MessageInitShape<typeof VideoProtectionRulesetSchema> = {
    ...{ requireAuthentication: true, requireEntitlement: true, enforceConcurrencyLimits: true },
    disallowHotlinking: true,
  };
  return create(VideoProtectionRulesetSchema, {
    ...{ id: `ruleset-${number}`, projectId: ALPHA, name: `Ruleset ${number}` },
    ...(kind === "counted" ? counts : { disallowVpnUsage: true }),
    applicability: selectFor(number),
    priority: BigInt(number),
  });
}

function selectFor(number: number): VideoProtectionRuleset["applicability"] {
  const target = (ids: object) => ({ case: "target", value: ids }) as never;
  const filter = (filterEvents: string) =>
    ({ case: "filter", value: { filterEvents, filterCreativeWorks: "" } }) as never;
  if (number === 0) return { case: "appliesToAll", value: true };
  switch (number % 5) {
    case 0:
      return target({ videoIds: [0, 1, 2, 3].map((it) => toVideoId(number * 9 + it)) });
    case 1:
      return target({ eventIds: [`event-${number * 8}`] });
    case 2:
      return target({ entityIds: [`team-x-${number}`] });
    case 3:
      return filter(`fields.season.id: "${1966 + (number % 60)}" and entity_ids: team-${number}`);
    default:
      return filter(`content_type: final and fields.attendance >= ${number * 10}`);
  }
}
