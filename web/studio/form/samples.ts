import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { listItems } from "../list-items.ts";
import { useLoad } from "../load.tsx";
import type { Access } from "../resource.ts";
import { useDebounced } from "./combobox.tsx";

/** How many resources show which keys a kind of content has. */
const SAMPLES = 20;

const NONE: readonly JsonObject[] = [];

/** Returns the newest resources of a content type; of an empty one, none. */
export function useSamples(
  access: Access,
  contentType: JsonValue | undefined,
): readonly JsonObject[] {
  const type = useDebounced(String(contentType ?? ""));
  const { value } = useLoad(
    async (signal) => {
      if (type === "") return NONE;
      const filter = `content_type: ${JSON.stringify(type)}`;
      const query = { filter, order: "update_time desc", pageSize: SAMPLES };
      return (await listItems(access, query, signal)).items;
    },
    [type, access.projectId, access.release],
  );
  return value ?? NONE;
}
