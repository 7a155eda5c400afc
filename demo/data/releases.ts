import { clone, create, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { type Release, ReleaseSchema, ReleaseState } from "../../gen/svc/type/v1/release_pb.ts";
import type { RecordItem } from "../../src/domain/records/record.ts";
import { demoSamples, MATCH_DAY, WORLD_CUP } from "../ids.ts";
import { REPLAY_TIME } from "../replay.ts";
import type { Dataset, PageRecord } from "./dataset-records.ts";

const { page_id: HOME, page_component_id: STAGE } = demoSamples;

/** Yields the releases of the demo with their drafts: one with a conflict, and one for the next match day. */
export function* toReleaseRecords({ bannerCollections, pages }: Dataset): Generator<RecordItem> {
  const home = pages.find(({ page }) => page.id === HOME) as PageRecord;
  const banners = bannerCollections.find(({ id }) => id === "banners-home");
  yield* createKnockoutStage(home);
  const release = createRelease(MATCH_DAY, "Match day", "The home page of the next match day");
  yield release;
  const title = { en: "Match day", de: "Spieltag" };
  yield* createDraft(
    release,
    { kind: "page", message: home.page, line: 0 },
    { kind: "page", message: { ...home.page, title } as typeof home.page, line: 0 },
  );
  if (banners === undefined) return;
  const [first, ...others] = banners.banners;
  const live = { en: "Match day: live tonight", de: "Spieltag: heute Abend live" };
  const changed = { ...banners, banners: first ? [{ ...first, title: live }, ...others] : [] };
  yield* createDraft(
    release,
    { kind: "banner_collection", message: banners, line: 0 },
    { kind: "banner_collection", message: changed, line: 0 },
  );
}

/** Changes the promotion, which is in conflict, deletes the results, moves the calendar up and adds a rail. */
function* createKnockoutStage({ page, components }: PageRecord): Generator<RecordItem> {
  const release = createRelease(
    "knockout-stage",
    "Knockout stage",
    "The home page of the knockout stage",
  );
  yield release;
  const find = (id: string) => components.find((it) => it.id === id) as PageComponent;
  const place = (message: PageComponent): RecordItem => ({
    ...{ kind: "page_component", message, line: 0, pageId: HOME },
  });
  const promotion = find("promo-home-pass");
  yield* createDraft(
    release,
    place(withTitle(promotion, "Every match of the week")),
    place(withTitle(promotion, "The final, with one pass")),
  );
  const results = find("rail-home-results");
  yield* createDraft(release, place(results), undefined);
  const road = createRoad(find("rail-home-matches"));
  yield* createDraft(release, undefined, { ...place(road), predecessorId: STAGE });
  const first = [STAGE, road.id, "calendar-home"];
  const others = components
    .map(({ id }) => id)
    .filter((id) => ![...first, results.id].includes(id));
  const base: RecordItem = { kind: "page", message: page, line: 0 };
  yield* createDraft(release, base, { ...base, componentIds: [...first, ...others] });
}

function createRelease(id: string, name: string, description: string): RecordItem<"release"> {
  const time = timestampFromDate(new Date(REPLAY_TIME));
  const state = ReleaseState.OPEN;
  const fields = { id, projectId: WORLD_CUP, name, description, state };
  const message = create(ReleaseSchema, { ...fields, createTime: time, updateTime: time });
  return { kind: "release", message, line: 0 };
}

function* createDraft(
  { message }: RecordItem<"release">,
  base: RecordItem | undefined,
  draft: RecordItem | undefined,
): Generator<RecordItem> {
  const { id: releaseId } = message as Release;
  if (base) yield { ...base, releaseId, isBase: true };
  if (draft) yield { ...draft, releaseId };
}

/** Returns the promotion with another title in English. */
function withTitle(promotion: PageComponent, en: string): PageComponent {
  const { data, ...rest } = clone(PageComponentSchema, promotion);
  if (data.case !== "promotionalContent") return promotion;
  const title = { ...(data.value.title as JsonObject), en };
  return { ...rest, data: { ...data, value: { ...data.value, title } } };
}

/** Returns a rail of the knock-out matches in the form of the rail of all matches. */
function createRoad(matches: PageComponent): PageComponent {
  const { data } = matches;
  if (data.case !== "rail") return matches;
  const value = {
    ...data.value,
    title: { en: "Road to the final", de: "Der Weg ins Finale" },
    filter: 'content_type: match and fields.season.id: "2026" and fields.stage: knockout',
    pinned: [],
    limit: 12,
  };
  const name = "Road to the final";
  return { ...matches, id: "rail-home-road", name, data: { ...data, value } };
}
