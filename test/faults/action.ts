import { send } from "../harness/http.ts";
import type { Receiver } from "../outbox/receiver.ts";

/** A webhook that every annotation of the type {@link ANNOTATION_TYPE} triggers. */
export interface Hook {
  /** Creates an annotation; returns the id of its run. */
  trigger(): Promise<string>;
  isDelivered(run: string): boolean;
}

/** The type of the annotations that trigger the hook. */
export const ANNOTATION_TYPE = "corner";

/** The path that creates annotations. */
export const ANNOTATIONS = "/annotations/annotations/v1";

/** Creates the action and the type in the demo's first project. */
export async function createAction({
  url,
  token,
  received,
}: {
  readonly url: string;
  readonly token: string;
  readonly received: Pick<Receiver, "requests" | "url">;
}): Promise<Hook> {
  const call = async (method: string, path: string, body: unknown) => {
    const got = await send(method, `${url}${path}`, { token, body });
    if (got.status !== 200) throw new Error(`${path}: ${got.text}`);
    return got.json;
  };
  const named = { project_id: "worldcup", name: "x" };
  const webhook = { url: received.url };
  await call("POST", "/annotations/actions/v1?action_id=hook", { ...named, webhook });
  await call("POST", `/annotations/types/v1?annotation_type_id=${ANNOTATION_TYPE}`, named);
  const configuration = { hook: {} };
  const path = `/annotations/types/v1/${ANNOTATION_TYPE}/action_configuration`;
  await call("PATCH", path, { configuration });
  return {
    async trigger() {
      const body = { project_id: "worldcup", type_id: ANNOTATION_TYPE };
      return (await call("POST", ANNOTATIONS, body)).action_runs[0].id;
    },
    isDelivered: (run) => received.requests.some(({ headers }) => headers["webhook-id"] === run),
  };
}
