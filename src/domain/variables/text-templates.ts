import type { DescMessage, Message } from "@bufbuild/protobuf";
import { TextKind } from "../../../gen/svc/options/v1/text_pb.ts";
import type { TextField } from "../base/descriptors.ts";
import { blameField } from "../base/field-errors.ts";
import type { Steps } from "../base/steps.ts";
import { KqlTemplate } from "../kql/index.ts";
import { listTexts, type MessageText } from "./message-texts.ts";
import type { Scope } from "./text-template.ts";
import {
  parseFreeTemplate,
  parseTextTemplate,
  type ResolvedText,
  resolveTemplate,
} from "./text-template.ts";

/** A field with a variable that has no value. */
export interface UnresolvedField {
  readonly kind: "dropped";
  /** The proto path of the field, such as `rail.filter`; in a query, the path of the string. */
  readonly field: string;
  /** The variable's path without braces, such as `event.fields.season.id`. */
  readonly variable: string;
  readonly reason: "VARIABLE_UNRESOLVED";
}

/** Returns a text with its variables replaced. */
type Resolve = (scope: Scope) => ResolvedText;

/** The texts and filters of a message that may have variables, each parsed once for all copies of the message. */
export class TextTemplates {
  readonly #schema: DescMessage;
  readonly #path: string;
  /** In the order of the texts. */
  readonly #parsed: Resolve[] = [];

  /** `path` is the path of the message. */
  constructor(schema: DescMessage, path: string) {
    this.#schema = schema;
    this.#path = path;
  }

  /**
   * Resolves the variables of a copy, in place; returns the first field with a missing value. Throws
   * `VARIABLE_MALFORMED`, `KQL_SYNTAX` or `KQL_LIMIT` for a template that `checkTexts` rejects; the error names the
   * field like `field`.
   */
  *resolve(copy: Message, scope: Scope): Steps<UnresolvedField | undefined> {
    for (const [index, { kind, path, text, replace }] of this.#listTexts(copy).entries()) {
      yield;
      const resolved = blameField(path, () => {
        this.#parsed[index] ??= toResolve(kind, text);
        return this.#parsed[index](scope);
      });
      if (resolved.kind === "unresolved") {
        const { variable } = resolved;
        return { kind: "dropped", field: path, variable, reason: "VARIABLE_UNRESOLVED" };
      }
      replace(resolved.text.toWellFormed());
    }
    return undefined;
  }

  /** Reports whether no text of the message has a variable. */
  isConstant(message: Message): boolean {
    return this.#listTexts(message).every(({ text }) => !text.includes("{"));
  }

  /** Lists the texts with variables; the placeholders of clauses are for the session. */
  #listTexts(message: Message): readonly MessageText[] {
    return [...listTexts(this.#schema, message, this.#path)].filter(
      ({ kind }) => kind !== TextKind.KQL_CLAUSE && kind !== TextKind.KQL_LITERAL,
    );
  }
}

function toResolve(kind: TextField["kind"], text: string): Resolve {
  if (kind !== TextKind.KQL) {
    const template = kind === TextKind.QUERY ? parseFreeTemplate(text) : parseTextTemplate(text);
    return (scope) => resolveTemplate(template, scope);
  }
  const template = new KqlTemplate(text);
  return (scope) => {
    const filled = template.fill(scope);
    return filled.kind === "failed"
      ? { kind: "unresolved", variable: filled.placeholder }
      : { kind: "resolved", text: filled.text };
  };
}
