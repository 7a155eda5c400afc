import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ReleaseState } from "../gen/svc/type/v1/release_pb.ts";
import type { Store } from "../src/storage/contract/store.ts";
import { readRecords } from "../src/transfer/import-lines.ts";
import { FILE_URL, MATCH_DAY, ORGANIZATION } from "./ids.ts";
import { readRecordFile } from "./records.ts";

/** The hour of UTC at which a match day begins. */
const MORNING = 8;

/**
 * Imports the releases of the demo, whose other resources exist: one that is open, with a conflict, and one that is
 * scheduled for the next match day. Every day is one, because the matches are repeated.
 */
export async function importDemoReleases(store: Store, now: Date, url = FILE_URL): Promise<void> {
  await store.importRecords(readRecords([await readRecordFile("releases.ndjson", url)]));
  const nextDay = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, MORNING);
  await store.in(ORGANIZATION).documents.release.update(MATCH_DAY, ({ value }) => ({
    ...value,
    state: ReleaseState.SCHEDULED,
    applyTime: timestampFromMs(nextDay),
    accountId: "account-editor",
    accountOrganizationId: ORGANIZATION,
  }));
}
