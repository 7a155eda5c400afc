import type { Video } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import type { KqlNode } from "../domain/kql/index.ts";
import type {
  ContentItemWithVideos,
  PreparedRulesets,
  VideoContent,
} from "../domain/protection/index.ts";
import { ALL_VISIBILITIES } from "../domain/visibility.ts";
import type { ContentPlace, ContentStore } from "../storage/delivery-store.ts";
import type { Store } from "../storage/store.ts";
import { toCreativeWorkItem, toEventItem } from "./content-item.ts";
import type { PreparedRulesetsSource } from "./prepared-rulesets.ts";
import { createRevisionMemo } from "./revision-memo.ts";

/** A video with all that the rulesets of its project look at. */
export interface ProtectedVideo {
  readonly video: Video;
  /** The events and creative works that show it, of every visibility; at most 100 of each, by id. */
  readonly content: VideoContent;
  readonly rulesets: PreparedRulesets;
}

/** Finds videos for decisions about their playback. */
export interface ProtectedVideos {
  /** Finds a video of a project; NOT_FOUND `RESOURCE_NOT_FOUND`. */
  find(projectId: string, videoId: string): Promise<ProtectedVideo>;
}

/** What videos are found in. */
export type VideoStores = Pick<Store, "creativeWorks" | "events" | "projectRevision" | "videos">;

/** How many videos are kept ready. */
const MOST_VIDEOS = 10_000;

/** How many events, and how many creative works, are looked at for one video. */
const MOST_ITEMS = 100;

/** Creates the search for videos; a video is looked up anew when its project has changed. */
export function createProtectedVideos(
  store: VideoStores,
  preparedRulesets: PreparedRulesetsSource,
): ProtectedVideos {
  const memo = createRevisionMemo<ProtectedVideo>(store, MOST_VIDEOS);

  async function read(projectId: string, videoId: string): Promise<ProtectedVideo> {
    const [video, events, creativeWorks, rulesets] = await Promise.all([
      store.videos.get({ projectId, id: videoId }),
      listShowing(store.events, toEventItem, projectId, videoId),
      listShowing(store.creativeWorks, toCreativeWorkItem, projectId, videoId),
      preparedRulesets.find(projectId),
    ]);
    return { video, content: { videoId, events, creativeWorks }, rulesets };
  }

  return {
    find: (projectId, videoId) => memo.find(projectId, videoId, () => read(projectId, videoId)),
  };
}

/** Lists what shows a video, by id; a list may end early and say where to go on. */
async function listShowing<T>(
  contents: Pick<ContentStore<T>, "list">,
  toItem: (item: T) => ContentItemWithVideos,
  projectId: string,
  videoId: string,
): Promise<readonly ContentItemWithVideos[]> {
  const items: ContentItemWithVideos[] = [];
  let after: ContentPlace | undefined;
  do {
    const { entries, next } = await contents.list({
      projectId,
      visibilities: ALL_VISIBILITIES,
      filter: hasVideo(videoId),
      words: [],
      order: { field: "id", direction: "asc" },
      limit: MOST_ITEMS,
      ...(after && { after }),
      // The filter does not read the clock.
      now: new Date(0),
    });
    // A filter takes two texts for equal that are the same moment.
    const found = entries.map(({ item }) => toItem(item));
    items.push(...found.filter(({ videoIds }) => videoIds.includes(videoId)));
    after = next;
  } while (after !== undefined && items.length < MOST_ITEMS);
  return items.slice(0, MOST_ITEMS);
}

/** Made of nodes, so that no id can become syntax. */
function hasVideo(videoId: string): KqlNode {
  const span = { start: 0, end: 0 };
  return {
    type: "is",
    name: { kind: "exact", path: "video_ids", quoted: false },
    value: { kind: "text", text: videoId, quoted: true },
    span,
  };
}
