import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { setAt } from "./resource.ts";
import type { Conflict } from "./save.ts";
import { printLabel } from "./schema.ts";

/** Shows both values of each field that two persons have changed; the person picks one. */
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
    const side = isTheirs ? conflict.theirs : conflict.mine;
    onChange(conflict.paths.reduce((it, path, index) => setAt(it, path, side[index]), value));
  };
  return (
    <section class="conflicts card" role="alert" aria-labelledby="conflicts">
      <h2 id="conflicts">Another person changed this too</h2>
      <p class="note">Nothing is lost: pick a value for each field, then save again.</p>
      {conflicts.map((conflict) => {
        const name = conflict.paths.map((path) => path.join(".")).join(", ");
        const option = (isTheirs: boolean, label: string) => (
          <label class="option">
            <input
              type="radio"
              name={`conflict-${name}`}
              checked={theirs.has(conflict) === isTheirs}
              onChange={() => pick(conflict, isTheirs)}
            />
            <span>
              <b>{label}</b>
              <span class="value">
                {printSide(conflict, isTheirs ? conflict.theirs : conflict.mine)}
              </span>
            </span>
          </label>
        );
        return (
          <fieldset key={name}>
            <legend title={name}>{conflict.paths.map(printPath).join(" or ")}</legend>
            {option(false, "Yours")}
            {option(true, "Theirs")}
          </fieldset>
        );
      })}
    </section>
  );
}

function printPath(path: readonly string[]): string {
  return path.map(printLabel).join(" › ");
}

function printSide({ paths }: Conflict, side: readonly (JsonValue | undefined)[]): string {
  const [first] = side;
  if (paths.length === 1) return print(first);
  const set = paths.flatMap((path, index) =>
    side[index] === undefined ? [] : [`${printPath(path)}: ${print(side[index])}`],
  );
  return set.join("\n") || print(undefined);
}

function print(value: JsonValue | undefined): string {
  if (value === undefined) return "removed";
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 1);
}
