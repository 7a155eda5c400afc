import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { checkAnnotation } from "../../domain/annotations/annotation.ts";
import { DomainError } from "../../domain/errors.ts";
import type { AnnotationText } from "./annotation-text.ts";
import { type MalformedReason, malformed, quote } from "./malformed.ts";

/**
 * Checks annotations of one text as they come: each by `checkAnnotation`, whose failure gets the line
 * before its message, and that no id is there twice, INVALID_ARGUMENT of `reason`.
 */
export class TextChecker {
  readonly #reason: MalformedReason;
  /** The lines of the ids. */
  readonly #lines = new Map<string, number>();

  constructor(reason: MalformedReason) {
    this.#reason = reason;
  }

  /** Checks the next annotation. */
  check({ line, annotation }: AnnotationText): void {
    checkAt(line, annotation);
    if (annotation.id === "") return;
    const other = this.#lines.get(annotation.id);
    if (other !== undefined) {
      const why = `${quote(annotation.id)} stands at line ${other} too`;
      throw malformed(this.#reason, line, why, "id");
    }
    this.#lines.set(annotation.id, line);
  }
}

function checkAt(line: number, annotation: Annotation): void {
  try {
    checkAnnotation(annotation);
  } catch (cause) {
    if (!(cause instanceof DomainError)) throw cause;
    const { code, reason, message, fields, metadata } = cause;
    throw new DomainError(code, reason, `line ${line}: ${message}`, {
      fields,
      metadata: { ...metadata, line: String(line) },
    });
  }
}
