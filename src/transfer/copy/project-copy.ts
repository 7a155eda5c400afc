import { Code, DomainError, invalidField } from "../../domain/errors.ts";
import { blameLine } from "../../domain/transfer/line-fault.ts";
import { pathOf } from "../../domain/transfer/record.ts";
import { LineSplitter } from "../import/line-splitter.ts";
import { readNames } from "../import/read-record.ts";
import { CopyIds } from "./copy-ids.ts";

/** What is to be known of a file before its one project is copied: all the names in it. */
export class ProjectCopy {
  readonly ids: CopyIds;
  readonly #splitter = new LineSplitter();
  #sourceId: string | undefined;

  constructor(projectId: string, sourceId: string | undefined) {
    this.ids = new CopyIds(projectId);
    this.#sourceId = sourceId;
  }

  /** The project of the file; undefined while it is not known. */
  get sourceId(): string | undefined {
    return this.#sourceId;
  }

  /**
   * Takes note of the next piece of the file; without one, of its end. INVALID_ARGUMENT with the line for
   * what is no record, `PROJECT_DIFFERENT` for a second project, and `PROJECT_COPIED_INTO_ITSELF`.
   */
  learn(piece: Uint8Array | undefined): void {
    const lines = piece === undefined ? this.#splitter.end() : this.#splitter.push(piece);
    for (const { number, text } of lines) {
      try {
        this.#learnLine(text);
      } catch (fault) {
        throw blameLine(number, fault);
      }
    }
  }

  #learnLine(text: string): void {
    const { kind, id, projectId, slug } = readNames(text);
    if (kind === "organization") return;
    if (kind !== "project") this.ids.add(id);
    if (kind === "page") this.ids.addSlug(slug);
    if (projectId === "") return;
    this.#sourceId ??= projectId;
    if (projectId !== this.#sourceId) {
      const field = kind === "project" ? "id" : "project_id";
      const description = `it is ${projectId}, and the project that is copied is ${this.#sourceId}`;
      throw invalidField(`${pathOf(kind)}.${field}`, "PROJECT_DIFFERENT", description);
    }
    if (projectId !== this.ids.projectId) return;
    const message = `project ${projectId} is not copied into itself; import it without --into-project`;
    throw new DomainError(Code.INVALID_ARGUMENT, "PROJECT_COPIED_INTO_ITSELF", message);
  }
}
