import { DomainError } from "../domain/errors.ts";
import type { ContentBatch } from "../storage/content-import.ts";
import { type Content, prepareContent } from "../storage/prepare-content.ts";
import { type Line, LineSplitter } from "./line-splitter.ts";
import { readResource } from "./read-resource.ts";

/** What a thread makes of a piece of a file: the items up to the first fault, and the fault. */
export interface PreparedPiece {
  readonly batch: ContentBatch;
  readonly fault?: DomainError;
}

/** Makes the pieces of one file ready for the store, in their order. */
export class LinePreparer {
  readonly #splitter = new LineSplitter();
  readonly #projectId: string | undefined;

  constructor(projectId: string | undefined) {
    this.#projectId = projectId;
  }

  /** Takes the next piece; without one, the end of the file. */
  prepare(piece: Uint8Array | undefined): PreparedPiece {
    const contents: Content[] = [];
    let fault: DomainError | undefined;
    try {
      for (const line of piece === undefined ? this.#splitter.end() : this.#splitter.push(piece)) {
        contents.push(this.#read(line));
      }
    } catch (cause) {
      if (!(cause instanceof DomainError)) throw cause;
      fault = cause;
    }
    return { batch: prepareContent(contents), ...(fault !== undefined && { fault }) };
  }

  #read({ number, text }: Line): Content {
    try {
      return readResource(text, number, this.#projectId);
    } catch (cause) {
      if (!(cause instanceof DomainError)) throw cause;
      const { code, reason, message, fields, metadata } = cause;
      throw new DomainError(code, reason, `line ${number}: ${message}`, { fields, metadata });
    }
  }
}
