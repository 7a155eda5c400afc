import type { JsonValue } from "@bufbuild/protobuf";
import type { Change } from "../../drawing/compare.ts";
import { ActButton } from "../acts.tsx";
import { MovableRows } from "../form/movable.tsx";
import { VisibilityMark } from "../marks.tsx";
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
  /** The permissions of both acts. */
  readonly needs: { readonly reorder: string; readonly setVisibility: string };
  linkOf(id: string): string;
  reorder(ids: readonly string[]): void;
  setVisibility(row: Row, visibility: string): void;
}

/** Lists the components of a page, which can be moved. A component of several in a group joins the one above. */
export function Rows(props: RowsProps) {
  const { rows, reorder, needs, setVisibility } = props;
  return (
    <MovableRows
      {...{ rows }}
      nameOf={({ title }) => title}
      keyOf={({ id }) => id}
      onChange={(changed) => reorder(changed.map(({ id }) => id))}
      moveByStep={(index, by) => moveByStep(rows, index, by)}
      permission={needs.reorder}
      isDraggedWhole
      acts={(row) => {
        const isPublished = row.visibility === "VISIBILITY_PUBLISHED";
        const verb = isPublished ? "Hide" : "Publish";
        return (
          <ActButton
            permission={needs.setVisibility}
            look="plain"
            label={`${verb} ${row.title}`}
            onAct={() =>
              setVisibility(row, isPublished ? "VISIBILITY_HIDDEN" : "VISIBILITY_PUBLISHED")
            }
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
        aria-current={row.id === selected ? "true" : undefined}
      >
        {row.title}
      </a>
      <small>
        <span title={row.type}>{printType(row.type)}</span>
        {row.name !== "" && ` · ${row.name}`}
        {row.environments.length > 0 && ` · only ${row.environments.join(", ")}`}
      </small>
      {row.visibility !== "VISIBILITY_PUBLISHED" && (
        <VisibilityMark value={row.visibility as JsonValue} />
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
