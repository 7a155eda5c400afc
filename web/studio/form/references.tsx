import { useRef } from "preact/hooks";
import { useApp } from "../app.ts";
import { kindOfName } from "../kinds.ts";
import { useLoad } from "../load.tsx";
import { Thumbnail } from "../marks.tsx";
import { useAccessOf } from "../resource.ts";
import { linkTo } from "../router.ts";
import { printInSentence } from "../schema.ts";
import { Combobox } from "./combobox.tsx";
import type { ControlProps } from "./control.ts";
import { JsonText } from "./json.tsx";
import { MovableRows } from "./movable.tsx";
import { findByIds, type Hit } from "./search.ts";

/** The most ids that are shown as rows; more are shown as text. */
const MOST_ROWS = 200;

/** References to resources: chosen by a search, shown by their titles and pictures. An id that names nothing is marked. */
export function Ids(props: ControlProps) {
  const { field, id, value, onChange, isDisabled } = props;
  const { route } = useApp();
  const accessOf = useAccessOf();
  const isList = field.schema.items !== undefined;
  const ids = (isList ? (value ?? []) : [value || []].flat()) as string[];
  const kinds = field.references.flatMap((it) => kindOfName(it) ?? []).map(accessOf);
  const known = useRef(new Map<string, Hit>());
  const asked = useLoad(
    async (signal) => {
      const missing = ids.filter((it) => !known.current.has(it)).slice(0, MOST_ROWS);
      const found = missing.length === 0 ? [] : await findByIds(kinds, missing, signal);
      for (const hit of found) known.current.set(hit.id, hit);
      return new Set(ids);
    },
    [ids.join(" "), route.query.release],
  );
  if (ids.length > MOST_ROWS) return <JsonText {...props} />;
  const change = (changed: string[]) => onChange(isList ? changed : (changed.at(-1) ?? ""));
  return (
    <>
      <MovableRows
        rows={ids}
        isDisabled={isDisabled}
        nameOf={(it) => known.current.get(it)?.title ?? it}
        onChange={change}
      >
        {(it) => {
          const hit = known.current.get(it);
          if (hit?.kind === undefined) {
            const isUnknown = !it.startsWith("{") && asked.value?.has(it) && !asked.error;
            return (
              <span class="hit">
                <code>{it}</code>
                {isUnknown && <span class="mark failed">names nothing</span>}
              </span>
            );
          }
          return (
            <span class="hit">
              {hit.kind.hasPictures && <Thumbnail url={hit.picture} />}
              <span>
                <a href={linkTo(route, hit.kind.section, it)}>{hit.title}</a>
                <small>{it}</small>
              </span>
            </span>
          );
        }}
      </MovableRows>
      {(isList || ids.length === 0) && !isDisabled && (
        <Combobox
          {...{ id, kinds }}
          label={`Search ${printInSentence(field.label)}`}
          chosen={ids}
          onChoose={(hit) => {
            if (hit.kind !== undefined) known.current.set(hit.id, hit);
            change([...ids, hit.id]);
          }}
        />
      )}
    </>
  );
}
