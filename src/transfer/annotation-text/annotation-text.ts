import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { checkAnnotation } from "../../domain/annotations/annotation.ts";
import { blameLine } from "../../domain/transfer/line-fault.ts";
import { quote } from "../../transcoding/quote.ts";
import { type MalformedReason, malformed } from "./malformed.ts";

/** An annotation read from a text: only fields that the format can represent are set. */
export interface AnnotationText {
  /** Its first line, from 1. */
  readonly line: number;
  readonly annotation: Annotation;
}

/**
 * Checks the annotations of one text in sequence: each by `checkAnnotation`, with the line added to its
 * failure, and for duplicate ids, which are INVALID_ARGUMENT with the given reason.
 */
export class TextChecker {
  readonly #reason: MalformedReason;
  /** The lines of the ids so far. */
  readonly #lines = new Map<string, number>();

  constructor(reason: MalformedReason) {
    this.#reason = reason;
  }

  /** Checks the next annotation. */
  check({ line, annotation }: AnnotationText): void {
    try {
      checkAnnotation(annotation);
    } catch (fault) {
      throw blameLine(line, fault);
    }
    if (annotation.id === "") return;
    const other = this.#lines.get(annotation.id);
    if (other !== undefined) {
      const why = `duplicate of ${quote(annotation.id)} on line ${other}`;
      throw malformed(this.#reason, line, why, "id");
    }
    this.#lines.set(annotation.id, line);
  }
}
