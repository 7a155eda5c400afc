import type { HandlerContext } from "@connectrpc/connect";
import { getProjectKey, getRequest } from "../../auth/caller.ts";
import type { FindCountry } from "../../auth/viewer-place.ts";
import type { ListViewer } from "./content-list.ts";

/** Tells who looks at the answer to a call, when and from where. */
export function toViewer(
  { values, requestHeader }: Pick<HandlerContext, "values" | "requestHeader">,
  findCountry: FindCountry,
): ListViewer {
  const { now } = getRequest(values);
  return { key: getProjectKey(values), now, country: findCountry(requestHeader) };
}
