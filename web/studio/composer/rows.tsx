import { methodOf } from "../../openapi.ts";
import { ActButton, type Acts } from "../acts.tsx";
import { useApp } from "../app.ts";
import type { Change } from "../drawing/compare.ts";
import { printClosed } from "../drawing/text.ts";
import { MovableRows } from "../form/movable.tsx";
import { COMPONENT, permissionOf } from "../kinds.ts";
import { VisibilityMark } from "../marks.tsx";
import { readResource, useAccess, writeFields } from "../resource.ts";
import { linkToChoices } from "../router.ts";
import { moveByStep } from "./order.ts";
import { printType, type Row } from "./page.ts";

/** Lists the components of a page, which can be moved. A component of several in a group joins the one above. */
export function Rows({
  rows,
  marks,
  dropped,
  acts,
  reorder,
}: {
  rows: readonly Row[];
  marks: ReadonlyMap<string, readonly Change[]>;
  /** Why components are not shown to the viewer, by their ids. */
  dropped: ReadonlyMap<string, string>;
  acts: Acts;
  reorder: (ids: readonly string[]) => void;
}) {
  const { operations, route } = useApp();
  const access = useAccess(COMPONENT);
  const { release } = access;
  const reordering = operations.find((it) => methodOf(it) === "ReorderPageComponents");
  const setVisibility = ({ id, title }: Row, visibility: string, done: string) =>
    acts.run(
      async () => {
        const resource = await readResource(access, id);
        await writeFields(access, resource, { visibility }, ["visibility"]);
      },
      `${done}${release === "" ? "" : " as a draft"}: ${title}.`,
    );
  return (
    <MovableRows
      {...{ rows }}
      nameOf={({ title }) => title}
      keyOf={({ id }) => id}
      onChange={(changed) => reorder(changed.map(({ id }) => id))}
      moveByStep={(index, by) => moveByStep(rows, index, by)}
      permission={permissionOf(reordering, release)}
      isDraggedWhole
      acts={(row) => {
        const isPublished = row.visibility === "VISIBILITY_PUBLISHED";
        const [verb, visibility, done] = isPublished
          ? (["Hide", "VISIBILITY_HIDDEN", "Hidden"] as const)
          : (["Publish", "VISIBILITY_PUBLISHED", "Published"] as const);
        return (
          <ActButton
            permission={permissionOf(access.methods.update, release)}
            class="plain"
            disabled={acts.isBusy}
            aria-label={`${verb} ${row.title}`}
            onClick={() => setVisibility(row, visibility, done)}
          >
            {verb}
          </ActButton>
        );
      }}
    >
      {(row, index) => (
        <div data-joined={row.groupId === rows[index - 1]?.groupId || undefined}>
          <a
            id={`row-${row.id}`}
            href={linkToChoices(route, { component: row.id, form: "" })}
            draggable={false}
            aria-current={row.id === route.query.component ? "true" : undefined}
          >
            {row.title}
          </a>
          <small>
            <span title={row.type}>{printType(row.type)}</span>
            {row.name !== "" && ` · ${row.name}`}
            {row.environments.length > 0 && ` · only ${row.environments.join(", ")}`}
          </small>
          {(row.visibility !== "VISIBILITY_PUBLISHED" ||
            printClosed(row.availability, Date.now())) && <VisibilityMark of={row} />}
          {marks.get(row.id)?.map((it) => (
            <span key={it} class={`mark ${it}`}>
              {it}
            </span>
          ))}
          {dropped.has(row.id) && <small>Not shown: {dropped.get(row.id)}</small>}
        </div>
      )}
    </MovableRows>
  );
}
