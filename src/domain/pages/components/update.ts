import {
  type PageComponent,
  PageComponentSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { isSettable } from "../../messages/field-behavior.ts";
import {
  applyMask,
  type CheckedMask,
  checkMask,
  updatableFields,
} from "../../messages/field-mask.ts";
import { checkPageComponent } from "./check.ts";
import { checkSingleMember } from "./data-member.ts";

/** The fields that an update mask of a page component may name. */
export const PAGE_COMPONENT_UPDATABLE = updatableFields(PageComponentSchema, isSettable);

/** Checks the update mask of a page component: allowed names, and at most one data member. */
export function checkPageComponentMask(paths: readonly string[]): CheckedMask {
  const mask = checkMask(paths, PAGE_COMPONENT_UPDATABLE);
  checkSingleMember(mask);
  return mask;
}

/** Applies an update to a component and checks the result (contract: page-components 15). */
export function updatePageComponent(
  current: PageComponent,
  update: PageComponent,
  mask: CheckedMask,
): PageComponent {
  const changed = applyMask(PageComponentSchema, current, update, mask);
  checkPageComponent(changed, "page_component_update");
  return changed;
}
