import type { JsonValue } from "@bufbuild/protobuf";
import { usePathWords } from "../paths.ts";
import type { Change, Compared, Difference } from "./compare.ts";
import { useDrawing } from "./drawing.ts";
import { Jump } from "./parts.tsx";
import { idOf, titleOf } from "./resolved.ts";
import { printValue } from "./text.ts";

const ORDER: readonly Change[] = ["added", "changed", "moved", "removed"];

/** Marks how a component differs from the current version. */
export function ChangeMarks({ changes }: { changes: readonly Change[] }) {
  return changes.map((it) => (
    <span key={it} class={`change ${it}`}>
      {it}
    </span>
  ));
}

/** The values that differ, behind a line that names them; nothing if there are none. */
export function Differences({
  id,
  kind,
  differences,
  label = "Differs from the current version",
}: {
  id: string;
  /** The name of the kind that has the values. */
  kind: string;
  differences: readonly Difference[];
  label?: string;
}) {
  const { language } = useDrawing();
  const printPath = usePathWords(kind);
  if (differences.length === 0) return null;
  const named = differences.map((it) => {
    const words = printPath(it.path.replace(/^component\./, ""));
    return { ...it, words };
  });
  const more = named.length === 1 ? "" : ` and ${named.length - 1} more`;
  return (
    <details id={id} class="differences">
      <summary>{`${label}: ${named[0]?.words}${more}`}</summary>
      <ul>
        {named.map(({ path, words, current, preview }) => (
          <li key={path}>
            <b title={path}>{words}</b>
            <Sides
              language={language}
              of={[
                ["Current", current],
                ["Preview", preview],
              ]}
            />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Two values of a field, each with the name of its version. */
export function Sides({
  of,
  language,
}: {
  of: readonly (readonly [version: string, value: JsonValue | undefined])[];
  language: string;
}) {
  return (
    <dl>
      {of.map(([version, value]) => (
        <div key={version}>
          <dt>{version}</dt>
          <dd>{printValue(value, language)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How many components differ, with a link to each, and how the page itself does. */
export function DifferenceSummary({
  shown,
  compared,
  ofPage,
}: {
  /** What is shown, in words. */
  shown: string;
  compared: readonly Compared[];
  ofPage: readonly Difference[];
}) {
  const { language } = useDrawing();
  const different = compared.filter(({ changes }) => changes.length > 0);
  const counts = ORDER.flatMap((change) => {
    const count = different.filter(({ changes }) => changes.includes(change)).length;
    return count === 0 ? [] : [`${count} ${change}`];
  });
  return (
    <section class="summary" aria-label="Differences from the current version">
      <p>
        <b>{shown}</b>: {counts.join(", ") || "the same components as the current version"}
      </p>
      {different.length > 0 && (
        <ul>
          {different.map(({ resolved, changes }) => (
            <li key={idOf(resolved)}>
              <Jump to={idOf(resolved)} text={titleOf(resolved, language)} />
              <ChangeMarks changes={changes} />
            </li>
          ))}
        </ul>
      )}
      <Differences
        id="differences-page"
        kind="page"
        differences={ofPage}
        label="The page differs from the current version"
      />
    </section>
  );
}
