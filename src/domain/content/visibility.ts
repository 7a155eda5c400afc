import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";

/** Every visibility that content can have. */
export const ALL_VISIBILITIES: readonly Visibility[] = [
  Visibility.UNSPECIFIED,
  Visibility.PUBLISHED,
  Visibility.UNLISTED,
  Visibility.HIDDEN,
];

/** Lists the visibilities that lists show to a key (CONTRACT 6): a preview key sees everything. */
export function listedVisibilities(key: "public" | "preview"): readonly Visibility[] {
  return key === "public" ? [Visibility.PUBLISHED] : ALL_VISIBILITIES;
}

/** Lists the visibilities that a key gets by id (CONTRACT 6): a preview key sees everything. */
export function readableVisibilities(key: "public" | "preview"): readonly Visibility[] {
  return key === "public" ? [Visibility.PUBLISHED, Visibility.UNLISTED] : ALL_VISIBILITIES;
}
