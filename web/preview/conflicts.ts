import type { JsonValue } from "@bufbuild/protobuf";
import type { Conflict } from "../../packages/client/src/studio.ts";
import { type Connection, callStudio } from "./call.ts";
import { type Content, h } from "./element.ts";
import type { JsonOf } from "./json-of.ts";
import { printValue } from "./text.ts";

/** The conflicts of a draft with the current version. */
export interface DraftConflicts {
  readonly releaseId: string;
  /** Such as `page_component:banner-home`. */
  readonly key: string;
  readonly conflicts: readonly JsonOf<Conflict>[];
}

const WHOLE: Readonly<Record<string, string>> = {
  CONFLICT_KIND_CURRENT_DELETED: "The draft changes it; it was deleted since.",
  CONFLICT_KIND_CURRENT_CHANGED: "The draft deletes it; it was changed since.",
  CONFLICT_KIND_CURRENT_EXISTS: "The draft creates it; it exists by now.",
};

/** Lists the drafts of releases that are in conflict; none without an access token. */
export async function listConflicts(
  connection: Connection,
  releaseIds: readonly string[],
): Promise<readonly DraftConflicts[]> {
  if (connection.accessToken === "") return [];
  const all: DraftConflicts[] = [];
  for (const releaseId of releaseIds) {
    let pageToken = "";
    do {
      const { items = [], nextPageToken = "" } = await callStudio(
        connection,
        "svc.studio.cms.release.v1.ReleaseService/ListReleaseItems",
        { releaseId, pageSize: 100, pageToken },
      );
      for (const { key = "", conflicts = [] } of items) {
        if (conflicts.length > 0) all.push({ releaseId, key, conflicts });
      }
      pageToken = nextPageToken;
    } while (pageToken !== "");
  }
  return all;
}

/** Draws conflicts, each with its path and both values; nothing if there are none. */
export function drawConflicts(
  drafts: readonly DraftConflicts[],
  language: string,
  nameOf: (releaseId: string) => string,
): Content {
  if (drafts.length === 0) return undefined;
  const value = (term: string, of: JsonValue | undefined) =>
    h("div", {}, h("dt", {}, term), h("dd", {}, printValue(of, language)));
  const rows = drafts.flatMap(({ releaseId, key, conflicts }) =>
    conflicts.map(({ kind = "", path = "", current, draft }) =>
      h(
        "li",
        {},
        h("p", {}, h("code", {}, key), path === "" ? "" : " at ", path && h("code", {}, path)),
        path === ""
          ? h("p", {}, WHOLE[kind] ?? kind)
          : h("dl", {}, value("Current", current), value(nameOf(releaseId), draft)),
      ),
    ),
  );
  const title = rows.length === 1 ? "1 conflict" : `${rows.length} conflicts`;
  return h(
    "section",
    { className: "conflicts", "aria-labelledby": "conflicts" },
    h("h2", { id: "conflicts", tabIndex: -1 }, title),
    h(
      "p",
      { className: "note" },
      "The current version has changed since the draft. The page below shows the draft.",
    ),
    h("ul", {}, ...rows),
  );
}
