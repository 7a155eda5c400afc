import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  RecordService,
  WriteMode,
  type WriteRecordsRequest,
} from "../../../gen/svc/studio/cms/record/v1/record_service_pb.ts";
import {
  ReleaseService,
  type UpdateReleaseRequest,
} from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import { otherCheckRuns } from "../../domain/releases/release.ts";

/** Lets one check of many writes of an organization run at a time in this process. */
export class CheckSlots {
  readonly #organizations = new Set<string>();

  /** Runs a check. RESOURCE_EXHAUSTED `RELEASE_CHECK_LIMIT` while another one of the organization runs. */
  async run<T>(organizationId: string, check: () => Promise<T>): Promise<T> {
    if (this.#organizations.has(organizationId)) throw otherCheckRuns();
    this.#organizations.add(organizationId);
    try {
      return await check();
    } finally {
      this.#organizations.delete(organizationId);
    }
  }
}

/**
 * Reports whether a call tries many writes and rolls them back: it checks a release, gives it a time, or writes each of
 * many records in a dry run.
 */
export function isCheckOfMany(method: DescMethod, message: Message): boolean {
  switch (method) {
    case ReleaseService.method.checkRelease:
      return true;
    case ReleaseService.method.updateRelease: {
      const { release, updateMask } = message as UpdateReleaseRequest;
      const paths = updateMask?.paths ?? [];
      const isTimed = release?.applyTime !== undefined && paths.includes("apply_time");
      return isTimed || paths.includes("conflict_policy");
    }
    case RecordService.method.writeRecords: {
      const { mode, validateOnly } = message as WriteRecordsRequest;
      return validateOnly && mode === WriteMode.EACH;
    }
    default:
      return false;
  }
}
