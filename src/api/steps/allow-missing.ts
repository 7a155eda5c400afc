import {
  clearField,
  clone,
  create,
  type DescField,
  type DescMethod,
  type Message,
} from "@bufbuild/protobuf";
import { FieldBehavior } from "../../../gen/google/api/field_behavior_pb.ts";
import { perDescriptor, readField, writeField } from "../../domain/base/descriptors.ts";
import { DomainError } from "../../domain/base/errors.ts";
import { sentAsBoth } from "../../domain/base/field-errors.ts";
import { hasBehavior } from "../../domain/validation/field-behavior.ts";
import { readAccessRule, readResourceIds } from "./request-fields.ts";

/** The creation of a resource that an update does not find. */
export interface Creation {
  readonly method: DescMethod;
  readonly message: Message;
  /** Returns the response of the update, with the resource of the creation's response. */
  toUpdateResponse(created: Message): Message;
  /** Returns a text about the creation with the path that the resource has in the update. */
  toUpdatePaths(text: string): string;
}

/**
 * Returns the creation that an update with `allow_missing` asks for if its resource does not exist (AIP-134);
 * undefined without it. It has the fields that both requests have, and the resource without its output-only fields.
 */
export function findCreation(update: DescMethod, message: Message): Creation | undefined {
  return findUpsert(update)?.(message);
}

/** Reports whether an update failed because the resource that it names does not exist for the caller. */
export function isMissing(update: DescMethod, message: Message, error: unknown): boolean {
  if (!(error instanceof DomainError) || error.reason !== "RESOURCE_NOT_FOUND") return false;
  const rule = readAccessRule(update);
  const [id] = readResourceIds(update, message);
  const { resource_type: type, ids } = error.metadata;
  return rule.case === "permission" && rule.value.resourceType === type && ids === id;
}

/** Compiles how an update becomes a creation; undefined for a method without `allow_missing`. */
const findUpsert = perDescriptor((update: DescMethod) => {
  const allowMissing = update.input.fields.find(({ name }) => name === "allow_missing");
  if (allowMissing === undefined) return undefined;
  const name = update.name.replace("Update", "Create");
  const method = update.parent.methods.find((it) => it.name === name);
  const created = method?.output.fields.find(({ message }) => message !== undefined);
  const updated = update.output.fields.find(({ message }) => message === created?.message);
  if (method === undefined || created === undefined || updated === undefined) {
    throw new Error(`${update.name} has allow_missing, but its service has no ${name}`);
  }
  const [from, to] = [method, update].map(({ input }) =>
    input.fields.find(({ message }) => message === created.message),
  );
  const path = new RegExp(`\\b${from?.name}(?=[.:]|$)`, "g");
  return (message: Message): Creation | undefined => {
    if (readField(message, allowMissing) !== true) return undefined;
    return {
      toUpdatePaths: (text) => text.replace(path, to?.name ?? ""),
      method,
      message: toCreateRequest(method, update, message),
      toUpdateResponse(response) {
        const own = create(update.output);
        writeField(own, updated, readField(response, created));
        return own;
      },
    };
  };
});

function toCreateRequest(method: DescMethod, update: DescMethod, message: Message): Message {
  const request = create(method.input);
  for (const to of method.input.fields) {
    const isSame = (from: DescField) =>
      to.message === undefined ? from.name === to.name : from.message === to.message;
    const sent = update.input.fields.filter(
      (from) => isSame(from) && readField(message, from) !== undefined,
    );
    const [from, other] = sent;
    if (from === undefined) continue;
    if (other !== undefined) throw sentAsBoth(from.name, other.name);
    writeField(request, to, withoutOutput(from, readField(message, from)));
  }
  return request;
}

/** Returns the value of a field, a message without its output-only fields: an update ignores them. */
function withoutOutput({ message: schema }: DescField, value: unknown): unknown {
  if (schema === undefined) return value;
  const copy = clone(schema, value as Message);
  for (const field of schema.fields) {
    if (hasBehavior(field, FieldBehavior.OUTPUT_ONLY)) clearField(copy, field);
  }
  return copy;
}
