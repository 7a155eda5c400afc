import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { useEffect, useRef } from "preact/hooks";
import { setAt } from "./resource.ts";
import type { Conflict, Side } from "./save.ts";
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
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: "center" }), []);
  return (
    <section ref={place} class="conflicts card" role="alert" aria-labelledby="conflicts">
      <h2 id="conflicts">Another person changed this too</h2>
      <p class="note">Nothing is lost: pick a value for each field, then save again.</p>
      {conflicts.map((conflict) => {
        const name = conflict.paths.map((path) => path.join(".")).join(", ");
        const option = (side: Side, label: string) => (
          <label class="option">
            <input
              type="radio"
              name={`conflict-${name}`}
              required
              onChange={() =>
                onChange(
                  conflict.paths.reduce((it, path, index) => setAt(it, path, side[index]), value),
                )
              }
            />
            <span>
              <b>{label}</b>
              <span class="value">{printSide(conflict, side)}</span>
            </span>
          </label>
        );
        return (
          <fieldset key={name}>
            <legend title={name}>{conflict.paths.map(printPath).join(" or ")}</legend>
            {option(conflict.mine, "Yours")}
            {option(conflict.theirs, "Theirs")}
          </fieldset>
        );
      })}
    </section>
  );
}

function printPath(path: readonly string[]): string {
  return path.map(printLabel).join(" › ");
}

function printSide({ paths }: Conflict, side: Side): string {
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
