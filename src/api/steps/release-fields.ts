import type { DescMethod, Message } from "@bufbuild/protobuf";
import { perDescriptor, readField } from "../../domain/base/descriptors.ts";
import { checkField } from "../../domain/base/field-errors.ts";
import { readAccessRule } from "./access-rule.ts";
import type { RequestHeaders } from "./incoming-call.ts";
import { listMaskPaths, readUpdateMask } from "./update-mask.ts";

/** The fields of a request that reads a resource through a release, or writes it into one. */
export interface ReleaseFields {
  readonly releaseId: string;
  /** True to delete a resource although others refer to it. */
  readonly isForced: boolean;
  /** The paths of the resource that the request writes; absent: it writes all of it. */
  readonly writtenPaths?: readonly string[];
}

/** The header of reads of the Delivery API that names releases. */
export const PREVIEW_HEADER = "x-release-id";

/**
 * Checks that a request of the Studio API does not name a release by the header of the Delivery API, because it would
 * read or write the current version. INVALID_ARGUMENT `VALUE_INVALID`.
 */
export function checkReleaseHeader(headers: RequestHeaders): void {
  const description = "must be omitted in the Studio API; name the release in release_id";
  checkField(headers[PREVIEW_HEADER] === undefined, PREVIEW_HEADER, "VALUE_INVALID", description);
}

/** Reads the fields of a request that name a release; undefined if it names none, or is about the release itself. */
export function readReleaseFields(method: DescMethod, message: Message): ReleaseFields | undefined {
  return findReleaseFields(method)?.(message);
}

const findReleaseFields = perDescriptor((method: DescMethod) => {
  const { fields } = method.input;
  const releaseId = fields.find(({ name }) => name === "release_id");
  const rule = readAccessRule(method);
  const isOfRelease = rule.case === "permission" && rule.value.name.startsWith("cms.releases.");
  if (releaseId === undefined || isOfRelease) return undefined;
  const force = fields.find(({ name }) => name === "force");
  return (message: Message): ReleaseFields | undefined => {
    const id = readField(message, releaseId);
    if (typeof id !== "string" || id === "") return undefined;
    const mask = readUpdateMask(method.input, message);
    return {
      releaseId: id,
      isForced: force !== undefined && readField(message, force) === true,
      ...(mask !== undefined && { writtenPaths: listMaskPaths(mask) }),
    };
  };
});
