import type { DescMethod } from "@bufbuild/protobuf";
import { Code } from "../../gen/google/rpc/code_pb.ts";
import { httpStatusOf } from "../../src/http/rest/status.ts";
import { readReasons } from "../reasons.ts";
import type { Schema } from "./load-schema.ts";

/** The reasons of errors by HTTP status. */
export type DocumentedErrors = ReadonlyMap<number, readonly string[]>;

// The comment of a method ends with its errors:
//
//   Errors = "Errors by reason:" { "- " Reason [ " (" Code ")" ] ": " text | "- The errors of " Method text } ;
//
// The code is the first of the reason in docs/errors.md, or the one in parentheses.
const LIST = /Errors by reason:\n([\s\S]*)$/;
const ERROR = /^- (?:The errors of (\w+)|([A-Z][A-Z0-9_]+)(?: \(([A-Z_]+)\))?: )/;

const REASONS = readReasons();

/** Reads the reasons of errors from the comment of a method. */
export function readDocumentedErrors(method: DescMethod, { commentOf }: Schema): DocumentedErrors {
  const errors = new Map<number, string[]>();
  collect(method);
  return new Map([...errors].sort(([a], [b]) => a - b));

  function collect({ parent, name }: DescMethod): void {
    const [, list = ""] = LIST.exec(commentOf(`${parent.typeName}.${name}`)) ?? [];
    for (const line of list.split("\n").filter((it) => it !== "")) {
      const [, other, reason, code] = ERROR.exec(line) ?? [];
      if (other !== undefined) collect(find(other));
      else if (reason !== undefined) add(reason, code);
      else throw new Error(`${name} has a malformed error: ${line}`);
    }

    function find(other: string): DescMethod {
      const found = parent.methods.find((it) => it.name === other);
      if (found === undefined) throw new Error(`${name} has the errors of the unknown ${other}`);
      return found;
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
