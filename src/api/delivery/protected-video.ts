import type { Video } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import type { OrderPlace } from "../../domain/base/paging.ts";
import { isWithin, type Period } from "../../domain/base/time.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { type ContentOrder, DEFAULT_ORDERS } from "../../domain/content/order.ts";
import { ALL_VISIBILITIES } from "../../domain/content/visibility.ts";
import { type KqlNode, NOWHERE } from "../../domain/kql/index.ts";
import { type ProtectedKind, readProtectedItem } from "../../domain/protection/content.ts";
import type { PreparedRulesets } from "../../domain/protection/prepare.ts";
import { type VideoSelection, VideoSelector } from "../../domain/protection/video-selection.ts";
import type { ContentStore, StoredContent } from "../../storage/contract/content-store.ts";
import type { Store } from "../../storage/contract/store.ts";
import type { ProjectRulesets } from "../reads/project-reads.ts";
import { estimateHeap, RevisionMemo } from "../reads/revision-memo.ts";

/** A video with its protection. */
interface ProtectedVideo {
  readonly video: Video;
  /** The rulesets selected by the video itself or by content of any visibility that shows it. */
  readonly selection: VideoSelection;
  /** All rulesets of the project. */
  readonly rulesets: PreparedRulesets;
}

type VideoStores = Pick<Store, "creativeWorks" | "events" | "knownRevision" | "videos">;

/** The bytes of the heap that cached videos take, as estimated. */
const MOST_BYTES = 32 * 2 ** 20;

/** The bytes of a number in a list. */
const PLACE = 8;

/** The maximum number of events, and of creative works, examined for a video. */
const MOST_ITEMS = 10_000;

/** The most milliseconds that the filters of rulesets take on the events, or the creative works, that show a video. */
const MOST_FILTER_MS = 5_000;

/** The number of them in memory at a time: at first, and at most. */
const FIRST_PAGE = 100;
const LONGEST_PAGE = 400;

/** The maximum number of pages requested, since a page may be short. */
const MOST_PAGES = (2 * MOST_ITEMS) / FIRST_PAGE;

/** The order of ids, which never change, so content edited between two pages is neither skipped nor read twice. */
const BY_ID: ContentOrder = { field: "id", direction: "asc" };

/** A read of a video of a project, with the protection that it has at a time. */
interface VideoQuery {
  readonly projectId: string;
  readonly videoId: string;
  readonly now: Date;
  readonly budget: WorkBudget;
}

/** A video as read. It names its rulesets by their places, because each preparation of all rulesets may take megabytes. */
interface ReadVideo extends Period {
  readonly video: Video;
  /** The places of the selected rulesets in a preparation of all. */
  readonly places: readonly number[];
  readonly preparation: symbol;
  /** False if unread content that shows the video could select further rulesets. */
  readonly isDecided: boolean;
}

/** The videos of projects with their protection; a cached video is read again after its project has changed. */
export class ProtectedVideos {
  readonly #store: VideoStores;
  readonly #rulesets: Pick<ProjectRulesets, "find">;
  readonly #memo: RevisionMemo<ReadVideo>;

  constructor(store: VideoStores, rulesets: Pick<ProjectRulesets, "find">) {
    this.#store = store;
    this.#rulesets = rulesets;
    const sizeOf = ({ video, places }: ReadVideo) =>
      estimateHeap(video, MOST_BYTES) + PLACE * places.length;
    this.#memo = new RevisionMemo(store, MOST_BYTES, sizeOf);
  }

  /**
   * Finds a video of a project with its protection at a time. NOT_FOUND `RESOURCE_NOT_FOUND`. FAILED_PRECONDITION
   * `PROTECTION_UNDECIDED` denies playback: more than 10,000 events or creative works show the video, or filters take
   * more than 5 seconds, and a further item could select another ruleset.
   */
  async find(query: VideoQuery): Promise<ProtectedVideo> {
    const { projectId, videoId, now, budget } = query;
    const rulesets = await this.#rulesets.find(projectId, budget);
    const { video, places, from, until, isDecided } = await this.#memo.find(
      projectId,
      videoId,
      () => this.#read(query, rulesets),
      (it) => it.preparation === rulesets.preparation && isWithin(it, now.getTime()),
    );
    if (!isDecided) throw undecided(videoId);
    const selected = places.flatMap((place) => rulesets[place] ?? []);
    return { video, rulesets, selection: { from, until, rulesets: selected } };
  }

  /** Reads in the orders that are read the fastest, and by id if the project has changed in between. */
  async #read(query: VideoQuery, rulesets: PreparedRulesets): Promise<ReadVideo> {
    const { projectId } = query;
    const revision = this.#store.knownRevision(projectId);
    const video = await this.#readBy(DEFAULT_ORDERS, query, rulesets);
    if (this.#store.knownRevision(projectId) === revision) return video;
    return this.#readBy({ event: BY_ID, creative_work: BY_ID }, query, rulesets);
  }

  async #readBy(
    orders: Readonly<Record<ProtectedKind, ContentOrder>>,
    { projectId, videoId, now, budget }: VideoQuery,
    rulesets: PreparedRulesets,
  ): Promise<ReadVideo> {
    const { videos, events, creativeWorks } = this.#store;
    const video = await videos.get({ projectId, id: videoId });
    const selector = new VideoSelector(rulesets, videoId, now.getTime());
    const contents: readonly Contents[] = [
      { kind: "event", store: events, order: orders.event },
      { kind: "creative_work", store: creativeWorks, order: orders.creative_work },
    ];
    let isDecided = true;
    for (const content of contents) isDecided &&= await addAll(selector, video, content, budget);
    const { rulesets: selected, ...period } = selector.selection;
    const isSelected = new Set(selected);
    const places = rulesets.flatMap((it, place) => (isSelected.has(it) ? [place] : []));
    return { ...period, video, places, preparation: rulesets.preparation, isDecided };
  }
}

/** The content of a kind. */
interface Contents {
  readonly kind: ProtectedKind;
  readonly store: Pick<ContentStore, "list">;
  readonly order: ContentOrder;
}

/**
 * Adds the content that shows a video to a selector while it could select further rulesets; returns false if
 * there is too much, or if its rulesets take too long.
 */
async function addAll(
  selector: VideoSelector,
  video: Video,
  contents: Contents,
  budget: WorkBudget,
): Promise<boolean> {
  const { kind } = contents;
  let [items, pages, filterMs] = [0, 0, 0];
  if (!selector.isOpenTo(kind)) return true;
  for await (const page of listShowing(video, contents)) {
    pages += 1;
    if (pages > MOST_PAGES) return false;
    for (const content of page) {
      await budget.nextStep();
      const item = budget.count(() => readProtectedItem(kind, content.json));
      // A filter treats two texts as equal if they are the same moment.
      if (!item.videoIds.includes(video.id)) continue;
      items += 1;
      if (items > MOST_ITEMS || filterMs > MOST_FILTER_MS) return false;
      const start = budget.spent;
      await budget.run(selector.add(item));
      filterMs += budget.spent - start;
      if (!selector.isOpenTo(kind)) return true;
    }
  }
  return true;
}

/** Lists the content that may show a video, in pages; a page may be short and have a continuation. */
async function* listShowing(
  { projectId, id }: Video,
  { store, order }: Contents,
): AsyncIterable<readonly StoredContent[]> {
  let after: OrderPlace | undefined;
  let limit = FIRST_PAGE;
  do {
    const { entries, next } = await store.list({
      projectId,
      visibilities: ALL_VISIBILITIES,
      // Also items outside of their windows: the protection of a video never lapses.
      at: undefined,
      filter: hasVideo(id),
      words: [],
      order,
      limit,
      ...(after && { after }),
      // The filter does not read the clock.
      now: new Date(0),
    });
    yield entries.map(({ item }) => item);
    after = next;
    limit = LONGEST_PAGE;
  } while (after !== undefined);
}

function undecided(videoId: string): DomainError {
  return new DomainError(
    Code.FAILED_PRECONDITION,
    "PROTECTION_UNDECIDED",
    `too many events or creative works show the video: at most ${MOST_ITEMS} are tested, in at most ${MOST_FILTER_MS / 1_000} seconds. Name the video in the targets of the rulesets, or show it by fewer`,
    { metadata: { video_id: videoId, limit: String(MOST_ITEMS) } },
  );
}

/** Builds the filter of content that shows a video from nodes, so that ids cannot inject syntax. */
export function hasVideo(videoId: string): KqlNode {
  return {
    type: "is",
    name: { kind: "exact", path: "video_ids", quoted: false },
    value: { kind: "text", text: videoId, quoted: true },
    span: NOWHERE,
  };
}
