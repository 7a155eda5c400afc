import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";

/** Lists the visibilities that lists show to a key (CONTRACT 6): a preview key sees everything. */
export function listedVisibilities(key: "public" | "preview"): readonly Visibility[] {
  if (key === "public") return [Visibility.PUBLISHED];
  return [Visibility.UNSPECIFIED, Visibility.PUBLISHED, Visibility.UNLISTED, Visibility.HIDDEN];
}
