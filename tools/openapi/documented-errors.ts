import type { DescMethod } from "@bufbuild/protobuf";
import { Code } from "../../gen/google/rpc/code_pb.ts";
import { httpStatusOf } from "../../src/http/rest/status.ts";
import { readReasons } from "../reasons.ts";
import type { Schema } from "./load-schema.ts";

/** The reasons of errors by HTTP status. */
export type DocumentedErrors = ReadonlyMap<number, readonly string[]>;

// The comment of a method lists its errors:
//
//   Errors  = "Errors by reason" [ ", all " Code ] ":" Clause { ";" Clause } ;
//   Clause  = text with reasons, each with its first code in docs/errors.md, or after the name of another code ;
//
// "those of M" and "the errors of M" stand for the errors of another method of the service.
const LIST = /Errors by reason(?:, all (\w+))?:\s*([\s\S]*)$/;

const REASONS = readReasons();

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
        if (isCode(word) && word !== "ALREADY_EXISTS") code = word;
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
    const usual = REASONS.get(reason);
    if (usual === undefined) throw new Error(`docs/errors.md has no ${reason}`);
    const status = httpStatusOf(code === undefined ? usual : Code[code as keyof typeof Code]);
    const reasons = errors.get(status) ?? [];
    if (!reasons.includes(reason)) errors.set(status, [...reasons, reason].sort());
  }
}

function isCode(word: string): word is keyof typeof Code {
  return Object.hasOwn(Code, word);
}
