import type { Change } from "../../drawing/compare.ts";
import { printClosed } from "../../drawing/text.ts";
import { methodOf } from "../../openapi.ts";
import { ActButton, type Acts } from "../acts.tsx";
import { useApp } from "../app.ts";
import { MovableRows } from "../form/movable.tsx";
import { COMPONENT, permissionOf } from "../kinds.ts";
import { VisibilityMark } from "../marks.tsx";
import { readResource, useAccess, writeFields } from "../resource.ts";
import { moveByStep } from "./order.ts";
import { printType, type Row } from "./page.ts";

/** The properties of the list of components. */
export interface RowsProps {
  readonly rows: readonly Row[];
  /** The id of the component with the form; empty: none. */
  readonly selected: string;
  readonly marks: ReadonlyMap<string, readonly Change[]>;
  /** Why components are not shown to the viewer, by their ids. */
  readonly dropped: ReadonlyMap<string, string>;
  readonly acts: Acts;
  linkOf(id: string): string;
  reorder(ids: readonly string[]): void;
}

/** Lists the components of a page, which can be moved. A component of several in a group joins the one above. */
export function Rows(props: RowsProps) {
  const { rows, reorder, acts } = props;
  const { operations } = useApp();
  const access = useAccess(COMPONENT);
  const { release } = access;
  const reordering = operations.find((it) => methodOf(it) === "ReorderPageComponents");
  const setVisibility = ({ id, title }: Row, visibility: string, done: string) =>
    acts.run(
      async () => {
        const resource = await readResource(access, id);
        await writeFields(access, resource, { ...resource.value, visibility });
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
            aria-label={`${verb} ${row.title}`}
            onClick={() => setVisibility(row, visibility, done)}
          >
            {verb}
          </ActButton>
        );
      }}
    >
      {(row, index) => (
        <RowText {...props} {...{ row }} isJoined={row.groupId === rows[index - 1]?.groupId} />
      )}
    </MovableRows>
  );
}

function RowText({
  row,
  isJoined,
  selected,
  marks,
  dropped,
  linkOf,
}: RowsProps & { row: Row; isJoined: boolean }) {
  const reason = dropped.get(row.id);
  return (
    <div data-joined={isJoined || undefined}>
      <a
        id={`row-${row.id}`}
        href={linkOf(row.id)}
        draggable={false}
        aria-current={row.id === selected ? "true" : undefined}
      >
        {row.title}
      </a>
      <small>
        <span title={row.type}>{printType(row.type)}</span>
        {row.name !== "" && ` · ${row.name}`}
        {row.environments.length > 0 && ` · only ${row.environments.join(", ")}`}
      </small>
      {(row.visibility !== "VISIBILITY_PUBLISHED" || printClosed(row.availability, Date.now())) && (
        <VisibilityMark of={row} />
      )}
      {marks.get(row.id)?.map((it) => (
        <span key={it} class={`mark ${it}`}>
          {it}
        </span>
      ))}
      {reason !== undefined && <small>Not shown: {reason}</small>}
    </div>
  );
}
