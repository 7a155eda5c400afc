import type { VisibilityScope } from "./content-store.ts";

/** Selects visible documents by their ids. */
export interface VisibleIds extends VisibilityScope {
  readonly ids: readonly string[];
}
