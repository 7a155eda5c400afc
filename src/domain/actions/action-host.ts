import type { Action } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";

/** Returns the host that an action sends to: in lower case, without a port; empty for none. */
export function findActionHost({ kind }: Action): string {
  if (kind.case === undefined) return "";
  const url = URL.parse(kind.case === "webhook" ? kind.value.url : kind.value.baseUrl);
  return url?.hostname.replace(/\.+$/, "") ?? "";
}
