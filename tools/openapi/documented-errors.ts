import type { DescMethod } from "@bufbuild/protobuf";
import { Code } from "../../gen/google/rpc/code_pb.ts";
import { httpStatusOf } from "../../src/http/rest/status.ts";
import type { Schema } from "./load-schema.ts";

/** The reasons of errors by HTTP status. */
export type DocumentedErrors = ReadonlyMap<number, readonly string[]>;

// The comment of a method lists its errors:
//
//   Errors  = "Errors by reason" [ ", all " Code ] ":" Clause { ";" Clause } ;
//   Clause  = text with reasons, each with the code that it has everywhere, or after the name of another code ;
//
// "those of M" and "the errors of M" stand for the errors of another method of the service.
const LIST = /Errors by reason(?:, all (\w+))?:\s*([\s\S]*)$/;

/** The statuses of reasons whose code is not INVALID_ARGUMENT or FAILED_PRECONDITION, which both are 400. */
const STATUS: ReadonlyMap<string, number> = new Map([
  ["ALREADY_EXISTS", 409],
  ["AUTHENTICATION_REQUIRED", 401],
  ["ETAG_MISMATCH", 409],
  ["PERMISSION_NOT_HELD", 403],
  ["QUOTAS_RESERVED", 403],
  ["QUOTA_EXCEEDED", 429],
  ["REQUEST_ID_REUSED", 409],
  ["RESOURCE_NOT_FOUND", 404],
  ["WEBHOOK_LIMIT", 429],
]);

/** Reads the reasons of errors from the comment of a method. */
export function readDocumentedErrors(method: DescMethod, { commentOf }: Schema): DocumentedErrors {
  const errors = new Map<number, string[]>();
  collect(method);
  return new Map([...errors].sort(([a], [b]) => a - b));

  function collect({ parent, name }: DescMethod): void {
    const comment = commentOf(`${parent.typeName}.${name}`);
    const [, common, list = ""] = LIST.exec(comment) ?? [];
    for (const clause of list.split(";")) {
      let code = common;
      for (const [word] of clause.matchAll(/\b[A-Z][A-Z0-9_]{3,}\b/g)) {
        if (isCode(word) && !STATUS.has(word)) code = word;
        else if (word.includes("_")) add(word, code);
      }
    }
    for (const [, other] of list.matchAll(/(?:those|the errors) of (\w+)/g)) {
      const found = parent.methods.find((it) => it.name === other);
      if (found === undefined) throw new Error(`${name} has the errors of the unknown ${other}`);
      collect(found);
    }
  }

  function add(reason: string, code: string | undefined): void {
    const status =
      code === undefined
        ? (STATUS.get(reason) ?? 400)
        : httpStatusOf(Code[code as keyof typeof Code]);
    const reasons = errors.get(status) ?? [];
    if (!reasons.includes(reason)) errors.set(status, [...reasons, reason].sort());
  }
}

function isCode(word: string): word is keyof typeof Code {
  return Object.hasOwn(Code, word);
}
