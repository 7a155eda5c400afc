import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Dataset } from "../../demo/data/dataset-records.ts";
import { OfferSchema } from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { AccessPeriod } from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { type Video, VideoSchema } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import {
  ALPHA,
  BETA,
  createEvent,
  createSmallDataset,
  createTransaction,
} from "../storage/small-dataset.ts";

/** The time at which the tests of playback begin. */
export const NOW = new Date("2026-07-01T12:00:00Z");

const DAY = 24 * 3_600_000;

/** Where the playlists lie, and when what was bought was bought. */
export interface PlaybackDatasetOptions {
  readonly origin?: string;
  readonly now?: Date;
}

/**
 * The addresses of the videos `video-stolen-0` and so on, which the project beta made of files that are
 * alpha's.
 */
export const STOLEN: readonly string[] = [
  "{origin}/alpha/open/playlist.m3u8",
  "{origin}/alpha/x.m3u8",
  "{origin}/%61lpha/x.m3u8",
  "{origin}/alpha%2Fx.m3u8",
  "{origin}/alpha/counted/",
  "{origin}/alpha/?a=/beta/",
  "{origin}/alpha/x.m3u8#/beta/",
];

/** What a ruleset demands of who watches the video of the same name. */
const RULESETS: Readonly<Record<string, MessageInitShape<typeof VideoProtectionRulesetSchema>>> = {
  geo: {
    geoRestrictions: { case: "geoRestrictionsAllow", value: { countryCodes: ["AT", "DE"] } },
  },
  vpn: { disallowVpnUsage: true },
  domains: { domainRestrictions: { case: "domains", value: { domains: ["worldcup.example"] } } },
  bound: { disallowHotlinking: true },
  authenticated: { requireAuthentication: true },
  entitled: { requireAuthentication: true, requireEntitlement: true },
  counted: {
    ...{ requireAuthentication: true, requireEntitlement: true, enforceConcurrencyLimits: true },
    disallowHotlinking: true,
  },
  drm: { drm: { enabled: true, hwsMinimumQuality: 720, splitKeys: true } },
  "no-drm": { drm: { enabled: false } },
  strict: {
    ...{ disallowVpnUsage: true, requireAuthentication: true, requireEntitlement: true },
    ...{ enforceConcurrencyLimits: true, disallowHotlinking: true },
    geoRestrictions: { case: "geoRestrictionsAllow", value: { countryCodes: ["DE"] } },
    domainRestrictions: { case: "domains", value: { domains: ["worldcup.example"] } },
  },
};

/**
 * Creates a dataset in whose project alpha each ruleset has a video `video-<name>`, `video-open` none,
 * and `video-broken` a ruleset that counts streams and no playlist. The user `viewer-1` is entitled to
 * everything with two streams, `viewer-2` to the event of `video-counted`, `late` since yesterday no
 * more. Playlists lie at `origin` in a folder a video.
 */
export function createPlaybackDataset({
  origin = "https://media.example",
  now = NOW,
}: PlaybackDatasetOptions = {}): Dataset {
  const buyAgo = (userId: string, offerId: string, days: number) =>
    buy(userId, offerId, new Date(now.getTime() - days * DAY));
  const names = Object.keys(RULESETS);
  const toVideo = (name: string, init: MessageInitShape<typeof VideoSchema> = {}): Video =>
    create(VideoSchema, {
      id: `video-${name}`,
      projectId: ALPHA,
      playlistUrl: `${origin}/alpha/${name}/playlist.m3u8`,
      ...init,
    } as MessageInitShape<typeof VideoSchema>);
  const small = createSmallDataset();
  return createSmallDataset({
    videos: [
      ...[...names, "open"].map((name) => toVideo(name)),
      toVideo("broken", { playlistUrl: "" }),
      toVideo("elsewhere", { projectId: BETA, playlistUrl: `${origin}/beta/match/playlist.m3u8` }),
      ...STOLEN.map((address, index) =>
        toVideo(`stolen-${index}`, {
          projectId: BETA,
          playlistUrl: address.replace("{origin}", origin),
        }),
      ),
    ],
    events: [createEvent("event-counted", { videoIds: ["video-counted"] })],
    rulesets: names
      .map((name) => toRuleset(name, [`video-${name}`]))
      .concat([
        create(VideoProtectionRulesetSchema, {
          ...toRuleset("counted", ["video-broken"]),
          id: "ruleset-broken",
        }),
      ]),
    offers: [
      create(OfferSchema, {
        ...{ id: "offer-all", projectId: ALPHA, maxStreams: 2, position: 1 },
        visibility: Visibility.PUBLISHED,
        opens: { everything: true },
      }),
      create(OfferSchema, {
        ...{ id: "offer-hidden", projectId: ALPHA, position: 9 },
        opens: { videoIds: ["video-entitled"] },
      }),
      create(OfferSchema, {
        ...{ id: "offer-event", projectId: ALPHA, position: 2 },
        visibility: Visibility.PUBLISHED,
        opens: { eventIds: ["event-counted"] },
      }),
    ],
    transactions: [
      buyAgo("viewer-1", "offer-all", 0.5),
      buyAgo("viewer-2", "offer-event", 0.5),
      buyAgo("late", "offer-all", 2),
    ],
    signInIntegrations: [
      ...small.signInIntegrations,
      ...small.signInIntegrations.map((it) => ({ ...it, projectId: BETA })),
    ],
  });
}

function toRuleset(name: string, videoIds: string[]): VideoProtectionRuleset {
  return create(VideoProtectionRulesetSchema, {
    ...{ id: `ruleset-${name}`, projectId: ALPHA, name },
    applicability: { case: "target", value: { videoIds } },
    ...RULESETS[name],
  } as MessageInitShape<typeof VideoProtectionRulesetSchema>);
}

function buy(userId: string, offerId: string, time: Date) {
  return createTransaction(`transaction-${userId}`, {
    ...{ userId, offerId, accessPeriod: AccessPeriod.DAY },
    captureTime: timestampFromDate(time),
  });
}
