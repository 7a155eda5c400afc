import {
  type BannerCollection,
  type BannerCollectionV2,
  BannerCollectionV2SizeStrategy,
} from "../../../../gen/svc/studio/ott/page_component/v2/banner_pb.ts";
import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { Rail } from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { checkField, checkNotNegative } from "../../base/field-errors.ts";
import { clip } from "../../base/text.ts";
import { checkAvailability } from "../../content/window.ts";
import { checkMemberBehavior } from "../../validation/field-behavior.ts";
import { checkUrls } from "../../validation/url-fields.ts";
import { checkTexts } from "../../variables/message-texts.ts";
import { requireDataMember } from "./data-member.ts";
import { checkEnvironment } from "./environment.ts";
import { checkInlineGrid, checkListing } from "./inline-grid.ts";

/**
 * Checks a component (contract: page-components 1), not its position on a page. Throws INVALID_ARGUMENT with
 * the path below `field`, the component's field in the request.
 */
export function checkPageComponent(component: PageComponent, field: string): void {
  checkAvailability(component, field);
  for (const name of component.environments) checkEnvironment(name, `${field}.environments`);
  const member = requireDataMember(component, field);
  const path = `${field}.${member.name}`;
  checkMemberBehavior(member.schema, member.value, path);
  checkTexts(member.schema, member.value, path);
  checkUrls(member.schema, member.value, path);
  checkData(component.data, path);
}

/**
 * Checks a new component, the project of its page, and its position, counted from 0. Throws the errors of {@link
 * checkPageComponent}, and INVALID_ARGUMENT:
 * - `PROJECT_DIFFERENT`: the page belongs to another project.
 * - `VALUE_OUT_OF_RANGE`: the position is negative.
 */
export function checkNewPageComponent(
  component: PageComponent,
  projectId: string,
  position: number,
): void {
  const isSame = component.projectId === projectId;
  const description = `must be '${projectId}', the project of the page, not '${clip(component.projectId)}'`;
  checkField(isSame, "page_component.project_id", "PROJECT_DIFFERENT", description);
  checkNotNegative(position, "position");
  checkPageComponent(component, "page_component");
}

function checkData(data: PageComponent["data"], path: string): void {
  switch (data.case) {
    case "bannerCollection":
      checkBanner(data.value, path);
      break;
    case "bannerCollectionV2":
      checkBannerV2(data.value, path);
      break;
    case "rail":
      checkRail(data.value, path);
      break;
    case "contentGrid":
      if (data.value.source.case === "inline") {
        checkInlineGrid(data.value.source.value, `${path}.inline`);
      }
      break;
    case "creativeWorkPlayer":
    case "eventPlayer":
      checkContent(data.value.content, path);
      break;
  }
}

/** Checks banner_collection.height_fraction: 0 to 1 (contract: page-components 5). */
function checkBanner(banner: BannerCollection, path: string): void {
  const isInRange = banner.heightFraction >= 0 && banner.heightFraction <= 1;
  checkHeightFraction(isInRange, path, "must be between 0 and 1");
  checkNotNegative(banner.rotationIntervalSeconds, `${path}.rotation_interval_seconds`);
}

/**
 * Checks banner_collection_v2.height_fraction: over 0, up to 1, only with RELATIVE_HEIGHT (contract: page-components
 * 5).
 */
function checkBannerV2(banner: BannerCollectionV2, path: string): void {
  const isRelative = banner.sizeStrategy === BannerCollectionV2SizeStrategy.RELATIVE_HEIGHT;
  const isInRange = banner.heightFraction > 0 && banner.heightFraction <= 1;
  checkHeightFraction(!isRelative || isInRange, path, "must be greater than 0 and at most 1");
  checkHeightFraction(
    isRelative || banner.heightFraction === 0,
    path,
    "is allowed only with BANNER_COLLECTION_V2_SIZE_STRATEGY_RELATIVE_HEIGHT",
  );
  checkNotNegative(banner.transitionIntervalSeconds, `${path}.transition_interval_seconds`);
}

function checkRail(rail: Rail, path: string): void {
  checkNotNegative(rail.limit, `${path}.limit`);
  checkListing(rail, path);
}

/** Checks that a player has an id or a query, the members of its oneof. */
function checkContent(content: { case?: string | undefined; value?: unknown }, path: string): void {
  const isSet = content.case !== undefined && content.value !== "";
  checkField(isSet, `${path}.id`, "FIELD_REQUIRED", "a player must have an id or a query");
}

function checkHeightFraction(holds: boolean, path: string, description: string): void {
  checkField(holds, `${path}.height_fraction`, "HEIGHT_FRACTION_INVALID", description);
}
