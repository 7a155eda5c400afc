import { getProjectKey, getRequest, getWorkBudget } from "../../call/context.ts";
import type { FindCountry, PlacedCall } from "../../call/viewer-place.ts";
import type { ListViewer } from "./content-list.ts";

/** Tells who looks at the answer to a call, when and from where. */
export function toViewer(call: PlacedCall, findCountry: FindCountry): ListViewer {
  const { now } = getRequest(call.values);
  return {
    key: getProjectKey(call.values),
    now,
    country: findCountry(call),
    budget: getWorkBudget(call.values),
  };
}
