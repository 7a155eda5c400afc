import { ProjectCopy } from "../copy/project-copy.ts";
import { LinePreparer, type PreparedPiece } from "./line-preparer.ts";

/** What the records of a file are for. */
export interface FileOptions {
  readonly projectId?: string;
  /** The project of the copy. */
  readonly intoProjectId?: string;
}

/** Prepares the chunks of one file; those of a copy after all names in it were collected. */
export class FilePreparer {
  readonly #projectId: string | undefined;
  readonly #copy: ProjectCopy | undefined;
  #lines: LinePreparer | undefined;

  constructor({ projectId, intoProjectId }: FileOptions) {
    this.#projectId = projectId;
    if (intoProjectId !== undefined) this.#copy = new ProjectCopy(intoProjectId, projectId);
  }

  /** Prepares the next chunk of the file; undefined marks its end. */
  prepare(bytes: Uint8Array | undefined): PreparedPiece {
    this.#lines ??= new LinePreparer(this.#projectId, this.#copy);
    return this.#lines.prepare(bytes);
  }

  /** Collects the names in the next chunk; undefined marks the end. Throws the first fault. */
  learn(bytes: Uint8Array | undefined): void {
    this.#copy?.learn(bytes);
  }
}
