import { invalidField } from "../../../domain/errors.ts";
import { blameLine } from "../../../domain/transfer/line-fault.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import type { ImportOutcome, PreparedDocument } from "../../record-import.ts";

/** Prevents the import of one project from changing organizations, though its export contains one. */
export interface OrganizationCheck {
  /** INVALID_ARGUMENT `NOT_OF_PROJECT` for an organization that would be created or changed. */
  note(document: PreparedDocument, outcome: ImportOutcome): void;
  /** Adds a project of the file. */
  noteProject(document: PreparedDocument): void;
  /** INVALID_ARGUMENT `NOT_OF_PROJECT` for an organization that is not the project's. */
  end(db: Db): Promise<void>;
}

/** Creates the check; without a project every organization passes. */
export function createOrganizationCheck(projectId: string | undefined): OrganizationCheck {
  const noted: PreparedDocument[] = [];
  let own: string | undefined;
  return {
    note(document, outcome) {
      if (projectId === undefined) return;
      if (outcome !== "unchanged") {
        throw refuse(`${document.id} would be ${outcome}, but --project writes only the project`);
      }
      noted.push(document);
    },

    noteProject({ id, owner }) {
      if (id === projectId) own = owner?.id;
    },

    async end(db) {
      if (projectId === undefined || noted.length === 0) return;
      const stored = await db.first(
        build.selectFrom("project").select("organization_id").where("id", "=", projectId),
      );
      const organizationId = own ?? stored?.organization_id;
      for (const { id, line } of noted) {
        if (id === organizationId) continue;
        throw blameLine(line, refuse(`${id} is not the organization of project ${projectId}`));
      }
    },
  };
}

function refuse(description: string) {
  return invalidField("organization.id", "NOT_OF_PROJECT", description);
}
