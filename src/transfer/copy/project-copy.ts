import { Code, DomainError, invalidField } from "../../domain/errors.ts";
import { blameLine } from "../../domain/transfer/line-fault.ts";
import { pathOf } from "../../domain/transfer/record.ts";
import { LineSplitter } from "../import/line-splitter.ts";
import { readNames } from "../import/read-record.ts";
import { CopyIds } from "./copy-ids.ts";

/** Collects the names in a file, which must be known before its project is copied. */
export class ProjectCopy {
  readonly ids: CopyIds;
  readonly #splitter = new LineSplitter();
  #sourceId: string | undefined;

  constructor(projectId: string, sourceId: string | undefined) {
    this.ids = new CopyIds(projectId);
    this.#sourceId = sourceId;
  }

  /** The project of the file; undefined until it is known. */
  get sourceId(): string | undefined {
    return this.#sourceId;
  }

  /**
   * Processes the next chunk of the file; undefined marks its end. INVALID_ARGUMENT with the line for an invalid
   * record, `PROJECT_DIFFERENT` for a second project, and `PROJECT_COPIED_INTO_ITSELF`.
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
      const description = `is ${projectId}, but the copied project is ${this.#sourceId}`;
      throw invalidField(`${pathOf(kind)}.${field}`, "PROJECT_DIFFERENT", description);
    }
    if (projectId !== this.ids.projectId) return;
    const message = `project ${projectId} cannot be copied into itself; import it without --into-project`;
    throw new DomainError(Code.INVALID_ARGUMENT, "PROJECT_COPIED_INTO_ITSELF", message);
  }
}
