import { sql } from "kysely";
import { isIndexed } from "../../../content/indexed-fields.ts";
import type { ContentPathStore } from "../../../contract/content-store.ts";
import { ConnectedStore } from "../../base/connections.ts";
import { deleteSome } from "../../base/delete-some.ts";
import { inTransaction } from "../../base/in-transaction.ts";

/** A path has a posting list while an item has a value at it. */
const IS_USED = sql<unknown>`exists (select 1 from content_value where content_value.path = content_path.path)`;

/** The known paths of items. */
export class SqlContentPathStore extends ConnectedStore implements ContentPathStore {
  async prune(after: number | undefined, limit: number): Promise<number | undefined> {
    const rows = await this.read.all(selectPaths(after ?? 0, limit));
    const unused = rows.filter(({ is_used, name }) => !is_used && isIndexed(name));
    const end = rows.length < limit ? undefined : rows.at(-1)?.path;
    const [first] = unused;
    if (first === undefined) return end;
    const { project_id: projectId } = first;
    const paths = unused.filter((row) => row.project_id === projectId).map(({ path }) => path);
    // A write of the project may give an item the path until then. SQLite numbers paths after the last one, and no number may
    // come again: a read that has found the path may go on.
    const condition = sql`path in (${sql.join(paths)}) and not ${IS_USED}
      and path < (select max(path) from content_path)`;
    await inTransaction(this.connections, { projectIds: [projectId] }, (tx) =>
      tx.run(deleteSome({ table: "content_path", key: ["path"], condition, limit })),
    );
    const next = unused.find((row) => row.project_id !== projectId);
    return next === undefined ? end : next.path - 1;
  }
}

function selectPaths(after: number, limit: number) {
  return sql<{ path: number; name: string; project_id: string; is_used: boolean | number }>`
    select path, name, project_id, ${IS_USED} as is_used
    from content_path
    join content_collection on content_collection.collection = content_path.collection
    where path > ${after}
    order by path
    limit ${limit}
  `;
}
