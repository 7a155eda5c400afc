import type { JsonObject } from "@bufbuild/protobuf";
import { compareValues, type Difference } from "./drawing/compare.ts";
import type { Kind } from "./kinds.ts";
import { usePathWords } from "./paths.ts";
import { printSide } from "./releases/items.tsx";
import { setAt } from "./resource.ts";
import type { Conflict, Side } from "./save.ts";

/** Scrolls to a part that appears above what the person sees. */
export function show(part: HTMLElement | null): void {
  part?.scrollIntoView({ block: "nearest" });
}

/** Shows both values of each field that two persons have changed; the person picks one. */
export function Conflicts({
  kind,
  conflicts,
  value,
  onChange,
}: {
  kind: Kind;
  conflicts: readonly Conflict[];
  value: JsonObject;
  onChange: (value: JsonObject) => void;
}) {
  const printPath = usePathWords(kind.name);
  return (
    <section ref={show} class="conflicts card" role="alert" aria-labelledby="conflicts">
      <h2 id="conflicts">Another person changed this too</h2>
      <p class="note">Nothing is lost: pick a value for each field, then save again.</p>
      {conflicts.map((conflict) => {
        const { mine, theirs } = conflict;
        const paths = conflict.paths.map((path) => path.join("."));
        const name = paths.join(", ");
        const differences = paths.flatMap((path, index) =>
          compareValues(mine[index], theirs[index], path),
        );
        const option = (side: Side, of: keyof Difference, label: string) => (
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
              <span class="value">{printSide(differences, of, name, printPath)}</span>
            </span>
          </label>
        );
        return (
          <fieldset key={name}>
            <legend title={name}>{paths.map(printPath).join(" or ")}</legend>
            {option(mine, "current", "Yours")}
            {option(theirs, "preview", "Theirs")}
          </fieldset>
        );
      })}
    </section>
  );
}
