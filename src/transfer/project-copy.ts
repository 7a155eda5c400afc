import { Code, DomainError } from "../domain/base/errors.ts";
import { invalidField } from "../domain/base/field-errors.ts";
import { blameLine } from "../domain/records/line-error.ts";
import { pathOf } from "../domain/records/record.ts";
import { CopyIds } from "./copy-record.ts";
import { splitLines } from "./line-splitter.ts";
import { readNames } from "./read-record.ts";

/** The names in a file whose project is copied. */
export interface ProjectCopy {
  readonly ids: CopyIds;
  /** The project of the file; absent: the file names none. */
  readonly sourceId?: string | undefined;
}

/**
 * Reads the names in a file, which must be known before its project is copied into another. INVALID_ARGUMENT with the
 * line for an invalid record, `PROJECT_DIFFERENT` for a second project, and `PROJECT_COPIED_INTO_ITSELF`.
 */
export async function readCopy(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  projectId: string,
  sourceId?: string,
): Promise<ProjectCopy> {
  const ids = new CopyIds(projectId);
  let known = sourceId;
  for await (const lines of splitLines(source)) {
    for (const { number, text } of lines) {
      try {
        known = addNames(text, ids, known);
      } catch (error) {
        throw blameLine(number, error);
      }
    }
  }
  return { ids, sourceId: known };
}

/** Adds the names of a line, and returns the project of the file as far as it is known. */
function addNames(text: string, ids: CopyIds, sourceId?: string): string | undefined {
  const { kind, id, projectId, slug } = readNames(text);
  if (kind === "organization") return sourceId;
  if (kind !== "project") ids.known.add(id);
  if (kind === "page") ids.slugs.add(slug);
  if (projectId === "") return sourceId;
  if (sourceId !== undefined && projectId !== sourceId) {
    const field = kind === "project" ? "id" : "project_id";
    const description = `is ${projectId}, but the copied project is ${sourceId}`;
    throw invalidField(`${pathOf(kind)}.${field}`, "PROJECT_DIFFERENT", description);
  }
  if (projectId !== ids.projectId) return projectId;
  const message = `project ${projectId} cannot be copied into itself; import it without --into-project`;
  throw new DomainError(Code.INVALID_ARGUMENT, "PROJECT_COPIED_INTO_ITSELF", message);
}
