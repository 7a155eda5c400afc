import type { Page } from "../../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { Code, DomainError } from "../../../domain/errors.ts";
import { atLine } from "../../../domain/transfer/line-fault.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import type { ImportOutcome, PreparedDocument } from "../../record-import.ts";

interface Named {
  readonly page: Page;
  readonly line: number;
  /** True if the row awaits its slug. */
  readonly isWritten: boolean;
}

/** Writes the slugs of pages once everything is read, so that pages may swap them. */
export interface SlugImport {
  note(document: PreparedDocument, page: Page, outcome: ImportOutcome): void;
  /** ALREADY_EXISTS for a slug that another page of the project has. */
  end(): Promise<void>;
}

/** Creates the slug import. */
export function createSlugImport(tx: Tx, isDryRun: boolean): SlugImport {
  const named = new Map<string, Named>();

  async function check({ page }: Named, taken: Map<string, string>): Promise<void> {
    const { id, projectId, slug } = page;
    const key = `${projectId} ${slug}`;
    const stored = await tx.first(
      build
        .selectFrom("page")
        .select("id")
        .where("project_id", "=", projectId)
        .where("slug", "=", slug),
    );
    // A page of the file has the slug of the file.
    const other =
      taken.get(key) ?? (named.has(`${projectId} ${stored?.id}`) ? undefined : stored?.id);
    if (other !== undefined) {
      const message = `page.slug: '${slug}' is already used by page ${other}`;
      throw new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", message);
    }
    taken.set(key, id);
  }

  return {
    note({ id, line }, page, outcome) {
      const key = `${page.projectId} ${id}`;
      const isWritten = outcome !== "unchanged" || named.get(key)?.isWritten === true;
      named.delete(key);
      named.set(key, { page, line, isWritten });
    },

    async end() {
      const taken = new Map<string, string>();
      for (const it of named.values()) await atLine(it.line, () => check(it, taken));
      if (isDryRun) return;
      for (const { page, isWritten } of named.values()) {
        if (!isWritten) continue;
        await tx.run(
          build
            .updateTable("page")
            .set({ slug: page.slug })
            .where("project_id", "=", page.projectId)
            .where("id", "=", page.id),
        );
      }
    },
  };
}
