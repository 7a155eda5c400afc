import { Code, DomainError } from "../domain/base/errors.ts";
import { invalidField } from "../domain/base/field-errors.ts";
import { blameLine } from "../domain/records/line-error.ts";
import { pathOf } from "../domain/records/record.ts";
import { CopyIds } from "./copy-ids.ts";
import { type Line, splitLines } from "./line-splitter.ts";
import { readNames } from "./read-record.ts";

/** Collects the names in a file, which must be known before its project is copied. */
export class ProjectCopy {
  readonly ids: CopyIds;
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
   * Reads the names in the file. INVALID_ARGUMENT with the line for an invalid record, `PROJECT_DIFFERENT` for a
   * second project, and `PROJECT_COPIED_INTO_ITSELF`.
   */
  async readNames(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    for await (const lines of splitLines(source)) this.#addLines(lines);
  }

  #addLines(lines: Iterable<Line>): void {
    for (const { number, text } of lines) {
      try {
        this.#addLine(text);
      } catch (error) {
        throw blameLine(number, error);
      }
    }
  }

  #addLine(text: string): void {
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
