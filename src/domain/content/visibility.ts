import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { Window } from "../../../gen/svc/type/v1/window_pb.ts";
import { isOpen, type Moment } from "./window.ts";

/** All visibilities of content. */
export const ALL_VISIBILITIES: readonly Visibility[] = [
  Visibility.UNSPECIFIED,
  Visibility.PUBLISHED,
  Visibility.UNLISTED,
  Visibility.HIDDEN,
];

/**
 * Returns the visibilities that a key finds in lists (contract: delivery 6): a preview key sees everything.
 */
export function listedVisibilities(key: "public" | "preview"): readonly Visibility[] {
  return key === "public" ? [Visibility.PUBLISHED] : ALL_VISIBILITIES;
}

/**
 * Returns the visibilities that a key may get by id (contract: delivery 6): a preview key sees everything.
 */
export function readableVisibilities(key: "public" | "preview"): readonly Visibility[] {
  return key === "public" ? [Visibility.PUBLISHED, Visibility.UNLISTED] : ALL_VISIBILITIES;
}

/** Reports whether a reader of some visibilities sees a resource, at a moment unless windows do not bind the reader. */
export function isVisible(
  {
    visibility,
    availability,
  }: { readonly visibility: Visibility; readonly availability?: Window | undefined },
  {
    visibilities,
    at,
  }: { readonly visibilities: readonly Visibility[]; readonly at: Moment | undefined },
): boolean {
  return visibilities.includes(visibility) && isOpen(availability, at);
}
