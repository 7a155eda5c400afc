import type { DescEnum, DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { DurationSchema, TimestampSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { Interceptor } from "@connectrpc/connect";
import { type DomainError, invalidField } from "../domain/errors.ts";

/** Refuses requests with values that no answer in JSON could show. */
export const requestValuesInterceptor: Interceptor = (next) => (request) => {
  if (!request.stream) checkValues(request.method.input, request.message);
  return next(request);
};

/**
 * Checks the values that the binary form can carry and the JSON form has no word for: an enum's
 * unknown number, a moment or duration out of its range, a NaN or nothing at all in a free object.
 * Kept once, such a value would make every later answer in JSON fail. INVALID_ARGUMENT `ENUM_UNKNOWN`
 * or `VALUE_INVALID`.
 */
export function checkValues(schema: DescMessage, message: Message): void {
  checkMessage(reflect(schema, message, false), "");
}

const NANOS = 999_999_999;
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;
const LONGEST_SECONDS = 315_576_000_000n;

function checkMessage(message: ReflectMessage, path: string): void {
  const fault = findFault(message);
  if (fault !== undefined) throw invalidField(path, "VALUE_INVALID", fault);
  for (const field of message.fields) {
    if (message.isSet(field)) checkField(message, field, join(message.desc, path, field));
  }
}

function checkField(message: ReflectMessage, field: DescField, path: string): void {
  switch (field.fieldKind) {
    case "message":
      checkMessage(message.get(field), path);
      break;
    case "enum":
      checkItem(field, message.get(field), path);
      break;
    case "list":
      for (const [index, item] of Array.from(message.get(field)).entries()) {
        checkItem(field, item, isFree(message.desc) ? path : `${path}[${index}]`);
      }
      break;
    case "map":
      for (const [, item] of message.get(field)) checkItem(field, item, path);
      break;
    case "scalar":
      break;
    default:
      field satisfies never;
  }
}

function checkItem(field: DescField, item: unknown, path: string): void {
  if (field.message !== undefined) checkMessage(item as ReflectMessage, path);
  if (field.enum !== undefined && !field.enum.values.some(({ number }) => number === item)) {
    throw unknownEnum(field.enum, Number(item), path);
  }
}

/** Finds what is wrong with the value of a well-known type. */
function findFault({ desc, message }: ReflectMessage): string | undefined {
  switch (desc.typeName) {
    case TimestampSchema.typeName:
      return isTimestamp(message as TimeParts)
        ? undefined
        : "it is no moment of the years 1 to 9999";
    case DurationSchema.typeName:
      return isDuration(message as TimeParts) ? undefined : "its seconds and nanos are no duration";
    case ValueSchema.typeName:
      return isValue(message as FreeValue)
        ? undefined
        : "it holds nothing, or a number that JSON does not have";
    default:
      return undefined;
  }
}

type TimeParts = Message & { readonly seconds: bigint; readonly nanos: number };
type FreeValue = Message & { readonly kind: { readonly case?: string; readonly value?: unknown } };

function isTimestamp({ seconds, nanos }: TimeParts): boolean {
  return seconds >= FIRST_SECOND && seconds <= LAST_SECOND && nanos >= 0 && nanos <= NANOS;
}

function isDuration({ seconds, nanos }: TimeParts): boolean {
  const isInRange = seconds >= -LONGEST_SECONDS && seconds <= LONGEST_SECONDS;
  const isOneSign = seconds === 0n || nanos === 0 || seconds > 0n === nanos > 0;
  return isInRange && isOneSign && Math.abs(nanos) <= NANOS;
}

function isValue({ kind }: FreeValue): boolean {
  if (kind.case === undefined) return false;
  return kind.case !== "numberValue" || Number.isFinite(kind.value);
}

function unknownEnum({ values }: DescEnum, number: number, path: string): DomainError {
  const names = values.map(({ name }) => name).join(", ");
  return invalidField(path, "ENUM_UNKNOWN", `${number} is not one of ${names}`);
}

/** What lies inside a free object has the path of the object. */
function join(parent: DescMessage, path: string, field: DescField): string {
  if (isFree(parent)) return path;
  return path === "" ? field.name : `${path}.${field.name}`;
}

function isFree({ typeName }: DescMessage): boolean {
  return typeName.startsWith("google.protobuf.");
}
