import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { type Conflict, setAt } from "./resource.ts";

/** Shows both values of each path that two persons have changed; the person picks one. */
export function Conflicts({
  conflicts,
  value,
  onChange,
}: {
  conflicts: readonly Conflict[];
  value: JsonObject;
  onChange: (value: JsonObject) => void;
}) {
  const [theirs, setTheirs] = useState<ReadonlySet<Conflict>>(new Set());
  const pick = (conflict: Conflict, isTheirs: boolean) => {
    const chosen = new Set(theirs);
    if (isTheirs) chosen.add(conflict);
    else chosen.delete(conflict);
    setTheirs(chosen);
    onChange(setAt(value, conflict.path, isTheirs ? conflict.theirs : conflict.mine));
  };
  return (
    <section class="conflicts card" role="alert" aria-labelledby="conflicts">
      <h2 id="conflicts">Another person changed this too</h2>
      <p class="note">Nothing is lost: pick a value for each field, then save again.</p>
      {conflicts.map((conflict) => {
        const path = conflict.path.join(".");
        const option = (isTheirs: boolean, label: string, of: JsonValue | undefined) => (
          <label class="option">
            <input
              type="radio"
              name={`conflict-${path}`}
              checked={theirs.has(conflict) === isTheirs}
              onChange={() => pick(conflict, isTheirs)}
            />
            <span>
              <b>{label}</b>
              <span class="value">{print(of)}</span>
            </span>
          </label>
        );
        return (
          <fieldset key={path}>
            <legend>
              <code>{path}</code>
            </legend>
            {option(false, "Yours", conflict.mine)}
            {option(true, "Theirs", conflict.theirs)}
          </fieldset>
        );
      })}
    </section>
  );
}

function print(value: JsonValue | undefined): string {
  if (value === undefined) return "removed";
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 1);
}
