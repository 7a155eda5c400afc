import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type BannerCollection,
  BannerCollectionSchema,
  FormFactor,
} from "../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { Visibility } from "../gen/svc/type/v1/visibility_pb.ts";
import { WORLD_CUP } from "../src/demo/ids.ts";
import { pictureUrl } from "./wording.ts";
import type { Text } from "./world-cup.ts";

/** A banner of the demo. */
export interface BannerFacts {
  /** The base name of its images. */
  readonly key: string;
  readonly title: Partial<Text>;
  readonly link: string;
}

const FORM_FACTORS = [
  { formFactor: FormFactor.PHONE, suffix: "phone" },
  { formFactor: FormFactor.TABLET, suffix: "tablet" },
  { formFactor: FormFactor.DESKTOP, suffix: "desktop" },
  { formFactor: FormFactor.TV, suffix: "tv" },
];

const HOME: readonly BannerFacts[] = [
  {
    key: "final",
    title: { en: "The final: Spain vs Argentina", de: "Das Finale: Spanien – Argentinien" },
    link: "/match?id=match-2026-104",
  },
  {
    key: "highlights",
    title: { en: "The best of the final", de: "Das Beste aus dem Finale" },
    link: "/highlights?id=highlights-2026-104",
  },
  {
    key: "fan-shop",
    title: { en: "Scarves and shirts", de: "Schals und Trikots" },
    link: "https://shop.example/world-cup",
  },
];

const TEAMS: readonly BannerFacts[] = [
  {
    key: "spain",
    title: { en: "Spain", de: "Spanien" },
    link: "/team?id=team-esp",
  },
  {
    key: "argentina",
    title: { en: "Argentina", de: "Argentinien" },
    link: "/team?id=team-arg",
  },
];

const DRAFT: readonly BannerFacts[] = [
  {
    key: "qualifiers",
    title: { en: "Who comes next?", de: "Wer kommt als Nächstes?" },
    link: "",
  },
];

const CREATED = timestampFromDate(new Date("2026-05-01T08:00:00Z"));

/** Creates the banner collections of the World Cup; the last one is hidden. */
export function createBannerCollections(): readonly BannerCollection[] {
  const draft = createBannerCollection(WORLD_CUP, "banners-draft", "Draft", DRAFT);
  return [
    createBannerCollection(WORLD_CUP, "banners-home", "Stage of the home page", HOME),
    createBannerCollection(WORLD_CUP, "banners-teams", "Stage of the teams", TEAMS),
    { ...draft, visibility: Visibility.HIDDEN },
  ];
}

/** Creates a published banner collection, with an image for every form factor. */
export function createBannerCollection(
  projectId: string,
  id: string,
  name: string,
  banners: readonly BannerFacts[],
): BannerCollection {
  return create(BannerCollectionSchema, {
    id,
    projectId,
    name,
    banners: banners.map(({ key, title, link }) => ({
      title,
      images: FORM_FACTORS.map(({ formFactor, suffix }) => ({
        formFactor,
        url: pictureUrl("banners", `${id}-${key}-${suffix}`),
      })),
      link,
    })),
    visibility: Visibility.PUBLISHED,
    createTime: CREATED,
    updateTime: CREATED,
  });
}
