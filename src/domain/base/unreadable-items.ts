import type { DescField, Message } from "@bufbuild/protobuf";
import { WriteRecordsRequestSchema } from "../../../gen/svc/studio/cms/record/v1/record_service_pb.ts";
import { DomainError } from "./errors.ts";

const ERRORS = new WeakMap<Message, DomainError>();

/** Reports whether a value that cannot be read or is above a limit rejects one item of a list, and not the request. */
export function isReadAlone(field: DescField): boolean {
  return field === WriteRecordsRequestSchema.field.records;
}

/** Keeps the first error of an item for its handler. Throws anything but a `DomainError`. */
export function keepError(item: Message, error: unknown): void {
  if (!(error instanceof DomainError)) throw error;
  if (!ERRORS.has(item)) ERRORS.set(item, error);
}

/** Throws the error of an item whose values cannot be read; the paths of fields are below the item. */
export function checkReadable(item: Message): void {
  const error = ERRORS.get(item);
  if (error !== undefined) throw error;
}
