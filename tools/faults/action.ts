import { send } from "../../test/harness/http.ts";
import type { Receiver } from "../../test/outbox/receiver.ts";

/** A webhook that every annotation of its type triggers. */
export interface Hook {
  /** Creates an annotation; returns the id of its run. */
  trigger(): Promise<string>;
  isDelivered(run: string): boolean;
}

/** The target of a hook. */
export type HookTarget = Pick<Receiver, "requests" | "url">;

/** The path that creates annotations. */
export const ANNOTATIONS = "/annotations/annotations/v1";

/** Creates an action and an annotation type of the same id in the demo's first project. */
export async function createHook(
  { url, token }: { readonly url: string; readonly token: string },
  id: string,
  received: HookTarget,
): Promise<Hook> {
  const call = async (method: string, path: string, body: unknown) => {
    const got = await send(method, `${url}${path}`, { token, body });
    if (got.status !== 200) throw new Error(`${path}: ${got.text}`);
    return got.json;
  };
  const named = { project_id: "worldcup", name: "x" };
  const webhook = { url: received.url };
  await call("POST", `/annotations/actions/v1?action_id=${id}`, { ...named, webhook });
  await call("POST", `/annotations/types/v1?annotation_type_id=${id}`, named);
  const configuration = { [id]: {} };
  const path = `/annotations/types/v1/${id}/action_configuration`;
  await call("PATCH", path, { configuration });
  return {
    async trigger() {
      const body = { project_id: "worldcup", type_id: id };
      return (await call("POST", ANNOTATIONS, body)).action_runs[0].id;
    },
    isDelivered: (run) => received.requests.some(({ headers }) => headers["webhook-id"] === run),
  };
}
