import type { Video } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { ALL_VISIBILITIES } from "../domain/content/visibility.ts";
import { Code, DomainError } from "../domain/errors.ts";
import type { KqlNode } from "../domain/kql/index.ts";
import {
  type ContentItemWithVideos,
  type ContentKind,
  isWithin,
  type PreparedRulesets,
  type VideoSelection,
  VideoSelector,
} from "../domain/protection/index.ts";
import type { ContentPlace, ContentStore } from "../storage/delivery-store.ts";
import type { Store } from "../storage/store.ts";
import { toCreativeWorkItem, toEventItem } from "./content-item.ts";
import type { PreparedRulesetsSource } from "./prepared-rulesets.ts";
import { createRevisionMemo } from "./revision-memo.ts";

/** A video with its protection. */
export interface ProtectedVideo {
  readonly video: Video;
  /** The rulesets selected by the video itself or by content of any visibility that shows it. */
  readonly selection: VideoSelection;
  /** All rulesets of the project. */
  readonly rulesets: PreparedRulesets;
}

/** Finds videos with their protection. */
export interface ProtectedVideos {
  /**
   * Finds a video of a project with its protection at a time. NOT_FOUND `RESOURCE_NOT_FOUND`;
   * FAILED_PRECONDITION `PROTECTION_UNDECIDED`, which denies playback, if more than 10,000 events or creative
   * works show it and a further one could select another ruleset.
   */
  find(projectId: string, videoId: string, now: Date): Promise<ProtectedVideo>;
}

/** The stores that videos are found in. */
export type VideoStores = Pick<Store, "creativeWorks" | "events" | "knownRevision" | "videos">;

/** The number of cached videos. */
const MOST_VIDEOS = 10_000;

/** The maximum number of events, and of creative works, examined for a video. */
const MOST_ITEMS = 10_000;

/** The number of them in memory at a time. */
const STEP = 100;

/** The maximum number of pages requested, since a page may be short. */
const MOST_STEPS = (2 * MOST_ITEMS) / STEP;

/** A video as read; `isDecided` is false if unread content that shows it could select further rulesets. */
interface ReadVideo extends ProtectedVideo {
  readonly isDecided: boolean;
}

/** Creates the lookup of videos; a cached video is read again after its project has changed. */
export function createProtectedVideos(
  store: VideoStores,
  preparedRulesets: PreparedRulesetsSource,
): ProtectedVideos {
  const memo = createRevisionMemo<ReadVideo>(store, MOST_VIDEOS);

  async function read(projectId: string, videoId: string, now: Date): Promise<ReadVideo> {
    const [video, rulesets] = await Promise.all([
      store.videos.get({ projectId, id: videoId }),
      preparedRulesets.find(projectId),
    ]);
    const selector = new VideoSelector(rulesets, videoId, now.getTime());
    const events = listShowing(store.events, toEventItem, video);
    const works = listShowing(store.creativeWorks, toCreativeWorkItem, video);
    const isDecided =
      (await addAll(selector, "event", events)) && (await addAll(selector, "creative_work", works));
    return { video, rulesets, selection: selector.selection, isDecided };
  }

  return {
    async find(projectId, videoId, now) {
      const { isDecided, ...found } = await memo.find(
        projectId,
        videoId,
        () => read(projectId, videoId, now),
        ({ selection }) => isWithin(selection, now.getTime()),
      );
      if (isDecided) return found;
      throw undecided(videoId);
    },
  };
}

/** Adds pages to a selector while they could select further rulesets; returns false if there are too many. */
async function addAll(
  selector: VideoSelector,
  kind: ContentKind,
  steps: AsyncIterable<readonly ContentItemWithVideos[]>,
): Promise<boolean> {
  if (!selector.isOpenTo(kind)) return true;
  let [items, rounds] = [0, 0];
  for await (const found of steps) {
    items += found.length;
    rounds += 1;
    if (items > MOST_ITEMS || rounds > MOST_STEPS) return false;
    selector.add(kind, found);
    if (!selector.isOpenTo(kind)) return true;
  }
  return true;
}

/** Lists the content that shows a video, by id, in pages; a page may be short and have a continuation. */
async function* listShowing<T>(
  contents: Pick<ContentStore<T>, "list">,
  toItem: (item: T) => ContentItemWithVideos,
  { projectId, id: videoId }: Video,
): AsyncIterable<readonly ContentItemWithVideos[]> {
  let after: ContentPlace | undefined;
  do {
    const { entries, next } = await contents.list({
      projectId,
      visibilities: ALL_VISIBILITIES,
      filter: hasVideo(videoId),
      words: [],
      // Ids never change, so content edited between pages is neither skipped nor read twice.
      order: { field: "id", direction: "asc" },
      limit: STEP,
      ...(after && { after }),
      // The filter does not read the clock.
      now: new Date(0),
    });
    // A filter treats two texts as equal if they are the same moment.
    const found = entries.map(({ item }) => toItem(item));
    yield found.filter(({ videoIds }) => videoIds.includes(videoId));
    after = next;
    // Videos of many events take long to examine: let other calls run in between.
    if (after !== undefined) await new Promise((resolve) => setImmediate(resolve));
  } while (after !== undefined);
}

function undecided(videoId: string): DomainError {
  return new DomainError(
    Code.FAILED_PRECONDITION,
    "PROTECTION_UNDECIDED",
    `more than ${MOST_ITEMS} events or creative works show the video, too many to tell which rulesets protect it: name the video in the targets of the rulesets, or show it by fewer`,
    { metadata: { video_id: videoId, limit: String(MOST_ITEMS) } },
  );
}

/** Builds the filter from nodes, so that ids cannot inject syntax. */
function hasVideo(videoId: string): KqlNode {
  const span = { start: 0, end: 0 };
  return {
    type: "is",
    name: { kind: "exact", path: "video_ids", quoted: false },
    value: { kind: "text", text: videoId, quoted: true },
    span,
  };
}
