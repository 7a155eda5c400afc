import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type BannerCollection,
  BannerCollectionSchema,
  FormFactor,
} from "../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { WORLD_CUP } from "../ids.ts";
import { pictureUrl } from "./wording.ts";
import type { Text } from "./world-cup.ts";

/** A banner of the demo. */
export interface BannerFacts {
  /** The id of its picture. */
  readonly picture: string;
  readonly title: Partial<Text>;
  readonly link: string;
}

const FORM_FACTORS = [
  { formFactor: FormFactor.PHONE, shape: "2:3" },
  { formFactor: FormFactor.TABLET, shape: "16:9" },
  { formFactor: FormFactor.DESKTOP, shape: "21:9" },
  { formFactor: FormFactor.TV, shape: "16:9" },
] as const;

const HOME: readonly BannerFacts[] = [
  {
    picture: "banner-esp-arg",
    title: { en: "The final: Spain vs Argentina", de: "Das Finale: Spanien – Argentinien" },
    link: "/match?id=match-2026-104",
  },
  {
    picture: "highlights-esp-arg",
    title: { en: "The best of the final", de: "Das Beste aus dem Finale" },
    link: "/highlights?id=highlights-2026-104",
  },
  {
    picture: "banner-fan-shop",
    title: { en: "Scarves and shirts", de: "Schals und Trikots" },
    link: "https://shop.example/world-cup",
  },
];

const TEAMS: readonly BannerFacts[] = [
  {
    picture: "banner-esp",
    title: { en: "Spain", de: "Spanien" },
    link: "/team?id=team-esp",
  },
  {
    picture: "banner-arg",
    title: { en: "Argentina", de: "Argentinien" },
    link: "/team?id=team-arg",
  },
];

const DRAFT: readonly BannerFacts[] = [
  {
    picture: "banner-qualifiers",
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
    banners: banners.map(({ picture, title, link }) => ({
      title,
      images: FORM_FACTORS.map(({ formFactor, shape }) => ({
        formFactor,
        url: pictureUrl(picture, shape),
      })),
      link,
    })),
    visibility: Visibility.PUBLISHED,
    createTime: CREATED,
    updateTime: CREATED,
  });
}
