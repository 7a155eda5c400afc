import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ConflictPolicy,
  ReleaseSchema,
  ReleaseState,
} from "../../gen/svc/studio/cms/release/v1/release_pb.ts";
import type { PageComponent } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { OrganizationStore, Store } from "../storage/store.ts";
import { demoSamples, ORGANIZATION, WORLD_CUP } from "./ids.ts";

const { page_id: HOME, page_component_id: STAGE } = demoSamples;
const EDITOR = "account-editor";

/** The hour of UTC at which a match day begins. */
const MORNING = 8;

/**
 * Writes the releases of the demo, whose other resources exist: one that is open, with a conflict, and one that is
 * scheduled for the next match day. Every day is one, because the matches are repeated.
 */
export async function writeDemoReleases(store: Store, now: Date): Promise<void> {
  const live = store.in(ORGANIZATION);
  const nextDay = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, MORNING);
  const write = async (fields: MessageInitShape<typeof ReleaseSchema>) => {
    const release = create(ReleaseSchema, {
      ...{ projectId: WORLD_CUP, conflictPolicy: ConflictPolicy.REJECT },
      ...{ createTime: timestampFromDate(now), updateTime: timestampFromDate(now) },
      ...fields,
    });
    await live.documents.release.create(release);
    return store.in(ORGANIZATION, {
      ...{ releaseId: release.id, projectId: WORLD_CUP, accountId: EDITOR, now },
      ...{ isForced: false, isWritten: () => true },
    });
  };
  await draftKnockout(
    live,
    await write({
      id: "knockout-stage",
      name: "Knockout stage",
      description: "The home page of the knockout stage",
      state: ReleaseState.OPEN,
    }),
  );
  await draftMatchDay(
    await write({
      id: "match-day",
      name: "Match day",
      description: "The home page of the next match day",
      state: ReleaseState.SCHEDULED,
      applyTime: timestampFromDate(new Date(nextDay)),
      ...{ accountId: EDITOR, accountOrganizationId: ORGANIZATION },
    }),
  );
}

/** Changes the promotion, which is in conflict, deletes the results, moves the calendar up and adds a rail. */
async function draftKnockout(live: OrganizationStore, release: OrganizationStore): Promise<void> {
  const { pageComponents } = release;
  const { value: promotion } = await live.pageComponents.get("promo-home-pass");
  const title = (en: string) => () => withTitle(promotion, en);
  await live.pageComponents.update(promotion.id, title("Every match of the week"));
  await pageComponents.update(promotion.id, title("The final, with one pass"));
  await live.pageComponents.update(promotion.id, () => promotion);
  await pageComponents.delete("rail-home-results", () => {});
  await pageComponents.reorder(HOME, (page) => {
    const first = [STAGE, "calendar-home"];
    return [...first, ...page.map(({ id }) => id).filter((id) => !first.includes(id))];
  });
  const { value: matches } = await live.pageComponents.get("rail-home-matches");
  await pageComponents.create(toRoad(matches), { pageId: HOME, position: 1 }, () => {});
}

/** Changes the title of the home page and of its first banner. */
async function draftMatchDay({ documents }: OrganizationStore): Promise<void> {
  const title = { en: "Match day", de: "Spieltag" };
  await documents.page.update(HOME, ({ value }) => ({ ...value, title }));
  await documents.banner_collection.update("banners-home", ({ value }) => {
    const [first, ...others] = value.banners;
    const live = { en: "Match day: live tonight", de: "Spieltag: heute Abend live" };
    return { ...value, banners: first ? [{ ...first, title: live }, ...others] : [] };
  });
}

/** Returns the promotion with another title in English. */
function withTitle(promotion: PageComponent, en: string): PageComponent {
  const { data } = promotion;
  if (data.case !== "promotionalContent") return promotion;
  const title = { ...(data.value.title as object), en };
  return { ...promotion, data: { ...data, value: { ...data.value, title } } };
}

/** Returns a rail of the knock-out matches in the form of the rail of all matches. */
function toRoad(matches: PageComponent): PageComponent {
  const { data } = matches;
  if (data.case !== "rail") return matches;
  const value = {
    ...data.value,
    title: { en: "Road to the final", de: "Der Weg ins Finale" },
    filter: 'content_type: match and fields.season.id: "2026" and fields.stage: knockout',
    pinned: [],
    limit: 12,
  };
  return {
    ...matches,
    id: "rail-home-road",
    name: "Road to the final",
    data: { ...data, value },
  };
}
