import { toBinary } from "@bufbuild/protobuf";
import { sql } from "kysely";
import { RecordSchema } from "../../../../gen/svc/transfer/v1/record_pb.ts";
import {
  type Release,
  ReleaseSchema,
  ReleaseState,
} from "../../../../gen/svc/type/v1/release_pb.ts";
import type { Schema } from "../../../../gen/tables.ts";
import type { ResourceRef } from "../../../domain/access/permissions.ts";
import { settleAll } from "../../../domain/base/settle-all.ts";
import { printKey } from "../../../domain/changes/resource-change.ts";
import { isReleasable, KIND_NAMES, kindOf } from "../../../domain/kinds.ts";
import {
  openRecord,
  type RecordItem,
  type RecordKind,
  wrapRecord,
} from "../../../domain/records/record.ts";
import type { ResourceName } from "../../../domain/references.ts";
import { checkReleaseCount, checkReleaseSize } from "../../../domain/releases/release.ts";
import type {
  ComparedDraft,
  DraftedSelection,
  DraftRevision,
  DraftSelection,
  DueRelease,
  ItemPlace,
  PassedOver,
  PendingRelease,
  ReleasableKind,
  ReleaseDraft,
  ReleaseItemStore,
  ReleaseVersion,
} from "../../contract/releases.ts";
import { onlyRow, type Tx } from "../../db/db.ts";
import { build, prepare, type SlotOf } from "../../db/query.ts";
import { dateToMicros, microsToDate, UNSET_TIME } from "../../db/times.ts";
import { ConnectedStore } from "../base/connections.ts";
import { inTransaction } from "../base/in-transaction.ts";
import { toSizedGroups } from "../base/read-documents.ts";
import { readDocument } from "../base/stored-document.ts";
import { checkDraftGrowth } from "../base/usage.ts";

/** The drafts of releases. Writing them moves no revision. */
export class SqlReleaseItemStore extends ConnectedStore implements ReleaseItemStore {
  async list(
    { organizationId, releaseId }: Pick<ItemPlace, "organizationId" | "releaseId">,
    { kind, ids, page, after, limit }: DraftSelection = {},
  ): Promise<ReleaseDraft[]> {
    if (ids?.length === 0) return [];
    let select = selectDrafts(organizationId, releaseId).selectAll();
    if (kind !== undefined) select = select.where("kind", "=", kind);
    if (ids !== undefined) select = select.where("resource_id", "in", [...ids]);
    if (page !== undefined) {
      select = select.where((eb) =>
        eb.or([
          ...[eb("page_id", "is", null), eb("page_id", "=", page.id)],
          ...(page.currentIds.length > 0 ? [eb("resource_id", "in", [...page.currentIds])] : []),
        ]),
      );
    }
    if (after !== undefined) {
      select = select.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("kind", "resource_id"), ">", tuple(after.kind, after.id)),
      );
    }
    if (limit !== undefined) select = select.limit(limit);
    return (await this.read.all(select)).map(toDraft);
  }

  async *readAll(
    place: Pick<ItemPlace, "organizationId" | "releaseId">,
  ): AsyncGenerator<readonly ComparedDraft[]> {
    const size = sql<number>`coalesce(octet_length(base), 0) + coalesce(octet_length(draft), 0)`;
    const drafts = selectDrafts(place.organizationId, place.releaseId);
    const [sizes, revisions] = await settleAll([
      this.read.all(drafts.select(size.as("bytes"))),
      this.listRevisions({ organizationId: place.organizationId, releaseIds: [place.releaseId] }),
    ]);
    const current = new Map(revisions.map((it) => [printKey(it), it.currentRevision]));
    let after: ResourceName | undefined;
    for (const { length: limit } of toSizedGroups(sizes, ({ bytes }) => bytes)) {
      const step = await this.list(place, { after, limit });
      yield step.map((it) => ({
        ...it,
        isOnCurrent: it.baseRevision === current.get(printKey(it)),
      }));
      after = step.at(-1);
    }
  }

  async listRevisions({
    organizationId,
    releaseIds,
    kind,
    ids,
  }: DraftedSelection): Promise<readonly DraftRevision[]> {
    if (releaseIds.length === 0 || ids?.length === 0) return [];
    const kinds = kind === undefined ? RELEASABLE_KINDS : [kind];
    // The condition on their times makes SQLite read an index instead of the drafts; so does the lack of an order.
    const among =
      ids === undefined ? sql`item.update_time >= 0` : sql`item.resource_id in (${sql.join(ids)})`;
    const selects = Array.from(Map.groupBy(kinds, tableOf), ([table, ofTable]) => {
      const { join, revision } = joinCurrent(table);
      return sql<RevisionRow>`
        select item.kind, item.release_id, item.resource_id, item.update_time, item.base_revision,
          ${revision} as current_revision, item.page_id,
          ${table === "page_component" ? sql`version.page_id` : sql`null`} as current_page_id
        from release_item as item left join ${join}
        where item.organization_id = ${organizationId} and item.release_id in (${sql.join(releaseIds)})
          and item.kind in (${sql.join(ofTable)}) and ${among}`;
    });
    const rows = await this.read.all(sql<RevisionRow>`${sql.join(selects, sql` union all `)}`);
    return rows.map((row) => ({
      releaseId: row.release_id,
      kind: row.kind,
      id: row.resource_id,
      updateTime: row.update_time,
      baseRevision: row.base_revision,
      currentRevision: row.current_revision ?? 0,
      ...(row.current_page_id !== null && { currentPageId: row.current_page_id }),
      ...(row.page_id !== null && { draftPageId: row.page_id }),
    }));
  }

  async locate(release: ResourceRef, kind: string, ids: readonly string[]): Promise<ResourceRef[]> {
    const { organizationId, projectId = "" } = release;
    if (ids.length === 0) return [];
    const rows = await this.read.all(
      build
        .selectFrom("release_item")
        .select("resource_id")
        .where("organization_id", "=", organizationId)
        .where("release_id", "=", release.id)
        .where("kind", "=", kind)
        .where("resource_id", "in", [...ids])
        .where("draft", "is not", null),
    );
    return rows.map(({ resource_id: id }) => ({ kind, id, organizationId, projectId }));
  }

  async listVersions(
    organizationId: string,
    releaseIds: readonly string[],
  ): Promise<readonly ReleaseVersion[]> {
    if (releaseIds.length === 0) return [];
    const withDrafts = selectVersions(organizationId, releaseIds).where("draft_count", ">", 0);
    return (await this.read.all(withDrafts)).map((row) => ({
      releaseId: row.id,
      items: row.draft_count,
      bytes: row.draft_bytes,
    }));
  }

  put(item: ReleaseDraft): Promise<void> {
    return inTransaction(this.connections, { projectIds: [item.projectId] }, async (tx) => {
      const { organizationId, releaseId, base, draft } = item;
      const former = onlyRow(await tx.all(selectVersions(organizationId, [releaseId])));
      await erase(tx, item);
      await tx.run(
        build.insertInto("release_item").values({
          organization_id: organizationId,
          release_id: releaseId,
          kind: item.kind,
          resource_id: item.id,
          project_id: item.projectId,
          base: base === undefined ? null : toBinary(RecordSchema, wrapRecord(base)),
          draft: draft === undefined ? null : toBinary(RecordSchema, wrapRecord(draft)),
          is_forced: item.isForced ? 1 : 0,
          account_id: item.accountId,
          // Later than every other draft's: each write has another time, in milliseconds as they are read.
          update_time: Math.max(dateToMicros(item.updateTime), former.draft_time + 1_000),
          base_revision: item.baseRevision ?? null,
          page_id: draft?.pageId ?? null,
        }),
      );
      const written = onlyRow(await tx.all(selectVersions(organizationId, [releaseId])));
      checkReleaseSize(releaseId, { items: written.draft_count, bytes: written.draft_bytes });
      await checkDraftGrowth(tx, item, written.draft_bytes - former.draft_bytes);
    });
  }

  remove(item: ItemPlace & { readonly projectId: string }): Promise<void> {
    return inTransaction(this.connections, { projectIds: [item.projectId] }, (tx) =>
      erase(tx, item),
    );
  }

  clear(release: {
    readonly organizationId: string;
    readonly id: string;
    readonly projectId: string;
  }): Promise<void> {
    return inTransaction(this.connections, { projectIds: [release.projectId] }, (tx) =>
      eraseItems(tx, release),
    );
  }

  async listPending(
    { organizationId, kind, id }: Omit<ItemPlace, "releaseId">,
    { limit, among }: { readonly limit: number; readonly among?: readonly string[] | undefined },
  ): Promise<{ readonly releases: readonly PendingRelease[]; readonly total: number }> {
    if (among?.length === 0) return { releases: [], total: 0 };
    const place = { organizationId, kind, id, limit };
    const rows = await this.read.all(
      among === undefined
        ? SELECT_PENDING(place)
        : selectPending((name) => sql.val(place[name])).where("release.id", "in", [...among]),
    );
    const releases = rows.map(({ id, apply_time: time }) => ({
      id,
      ...(time !== UNSET_TIME && { applyTime: microsToDate(time) }),
    }));
    return { releases, total: Number(rows[0]?.total ?? 0) };
  }

  async countPending(): Promise<{
    readonly open: number;
    readonly scheduled: number;
    readonly nextTime?: Date;
  }> {
    const rows = await this.read.all(
      build
        .selectFrom("release")
        .select(({ fn }) => [
          "state",
          fn.countAll<number>().as("releases"),
          fn.min("apply_time").as("next_time"),
        ])
        .where("state", "in", [ReleaseState.OPEN, ReleaseState.SCHEDULED])
        .groupBy("state"),
    );
    const [open, scheduled] = [ReleaseState.OPEN, ReleaseState.SCHEDULED].map((state) =>
      rows.find((row) => row.state === state),
    );
    return {
      open: Number(open?.releases ?? 0),
      scheduled: Number(scheduled?.releases ?? 0),
      ...(scheduled && { nextTime: microsToDate(Number(scheduled.next_time)) }),
    };
  }

  async findDue(
    time: Date,
    { organizations, projects, releases }: PassedOver,
  ): Promise<DueRelease | undefined> {
    let select = selectDue(time).select(["organization_id", "doc", "revision"]).limit(1);
    if (organizations.length > 0)
      select = select.where("organization_id", "not in", [...organizations]);
    if (projects.length > 0) select = select.where("project_id", "not in", [...projects]);
    if (releases.length > 0) {
      const places = releases.map((it) => sql`(${it.organizationId}, ${it.id})`);
      select = select.where(
        sql<boolean>`(organization_id, id) not in (values ${sql.join(places)})`,
      );
    }
    const [row] = await this.read.all(select);
    return (
      row && {
        organizationId: row.organization_id,
        release: readDocument(ReleaseSchema, row.doc),
        revision: row.revision,
      }
    );
  }

  async listDueIds(time: Date, projectId: string): Promise<readonly string[]> {
    const ofProject = selectDue(time).select("id").where("project_id", "=", projectId);
    return (await this.read.all(ofProject)).map(({ id }) => id);
  }
}

/** Selects the scheduled releases that are due at a time. */
function selectDue(time: Date) {
  return build
    .selectFrom("release")
    .where("state", "=", ReleaseState.SCHEDULED)
    .where("apply_time", "<=", dateToMicros(time))
    .orderBy("apply_time")
    .orderBy("id");
}

/** Selects the drafts of a release, ordered by kind and id. */
function selectDrafts(organizationId: string, releaseId: string) {
  return build
    .selectFrom("release_item")
    .where("organization_id", "=", organizationId)
    .where("release_id", "=", releaseId)
    .orderBy("kind")
    .orderBy("resource_id");
}

function toDraft(row: Schema["release_item"]): ReleaseDraft {
  return {
    organizationId: row.organization_id,
    releaseId: row.release_id,
    kind: row.kind as RecordKind,
    id: row.resource_id,
    projectId: row.project_id,
    get base() {
      return row.base ? readRecord(row.base) : undefined;
    },
    get draft() {
      return row.draft ? readRecord(row.draft) : undefined;
    },
    isForced: row.is_forced === 1,
    accountId: row.account_id,
    updateTime: microsToDate(row.update_time),
    ...(row.base_revision !== null && { baseRevision: row.base_revision }),
  };
}

type PendingQuery = Omit<ItemPlace, "releaseId"> & { readonly limit: number };

/** Selects the releases with a draft of a resource that are not applied, by time and id. */
function selectPending(slot: SlotOf<PendingQuery>) {
  return build
    .selectFrom("release_item as item")
    .innerJoin("release", (join) =>
      join
        .onRef("release.organization_id", "=", "item.organization_id")
        .onRef("release.id", "=", "item.release_id"),
    )
    .select(["release.id", "release.apply_time", sql<number>`count(*) over ()`.as("total")])
    .where("item.organization_id", "=", slot("organizationId"))
    .where("item.kind", "=", slot("kind"))
    .where("item.resource_id", "=", slot("id"))
    .where("release.state", "<>", ReleaseState.APPLIED)
    .orderBy("release.apply_time")
    .orderBy("release.id")
    .limit(slot("limit"));
}

const SELECT_PENDING = prepare(selectPending);

/** The columns of a draft's revisions, and of the pages of a component. */
interface RevisionRow {
  readonly kind: ReleasableKind;
  readonly release_id: string;
  readonly resource_id: string;
  readonly update_time: number;
  readonly base_revision: number | null;
  readonly current_revision: number | null;
  readonly current_page_id: string | null;
  readonly page_id: string | null;
}

const RELEASABLE_KINDS = KIND_NAMES.filter(isReleasable);

/** The table that has the rows of a kind. */
function tableOf(kind: RecordKind): string {
  return kindOf(kind).keep === "content" ? "content" : kind;
}

/** Joins drafts, named `item`, with current versions in their project; `revision` is null if that does not exist. */
function joinCurrent(table: string) {
  if (table !== "content") {
    const join = sql`${sql.table(table)} as version on version.organization_id = item.organization_id
      and version.id = item.resource_id and version.project_id = item.project_id`;
    return { join, revision: sql`version.revision` };
  }
  const join = sql`content as version on version.organization_id = item.organization_id
      and version.kind = item.kind and version.id = item.resource_id
    left join content_collection as own
      on own.collection = version.collection and own.project_id = item.project_id`;
  return { join, revision: sql`case when own.collection is not null then version.revision end` };
}

/** Selects the sizes of releases, and when a draft was last written, in microseconds since 1970. */
function selectVersions(organizationId: string, releaseIds: readonly string[]) {
  return build
    .selectFrom("release")
    .select(["id", "draft_count", "draft_bytes", "draft_time"])
    .where("organization_id", "=", organizationId)
    .where("id", "in", [...releaseIds])
    .orderBy("id");
}

/** Deletes all drafts of a release. */
export async function eraseItems(
  tx: Tx,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<void> {
  await tx.run(
    build
      .deleteFrom("release_item")
      .where("organization_id", "=", organizationId)
      .where("release_id", "=", id),
  );
}

/** Checks that a project may have another release that is not applied. RESOURCE_EXHAUSTED `RELEASE_LIMIT`. */
export async function checkReleaseFits(tx: Tx, { id, projectId, state }: Release): Promise<void> {
  if (state === ReleaseState.APPLIED) return;
  const rows = await tx.all(
    build
      .selectFrom("release")
      .select(({ fn }) => fn.countAll<number>().as("others"))
      .where("project_id", "=", projectId)
      .where("id", "<>", id)
      .where("state", "<>", ReleaseState.APPLIED),
  );
  checkReleaseCount(Number(onlyRow(rows).others));
}

async function erase(tx: Tx, { organizationId, releaseId, kind, id }: ItemPlace): Promise<void> {
  await tx.run(
    build
      .deleteFrom("release_item")
      .where("organization_id", "=", organizationId)
      .where("release_id", "=", releaseId)
      .where("kind", "=", kind)
      .where("resource_id", "=", id),
  );
}

function readRecord(bytes: Uint8Array): RecordItem {
  const item = openRecord(readDocument(RecordSchema, bytes), 0);
  if (item === undefined) throw new Error("a draft without a resource");
  return item;
}
