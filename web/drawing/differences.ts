import type { Change, Compared, Difference } from "./compare.ts";
import { type Content, h } from "./element.ts";
import { jump } from "./parts.ts";
import { idOf, titleOf } from "./resolved.ts";
import { printValue } from "./text.ts";

/** How the values that differ are printed. */
interface Words {
  /** A tag such as `en`. */
  readonly language: string;
  /** Returns a path such as `rail.title.en` in words. */
  printPath(path: string): string;
}

const ORDER: readonly Change[] = ["added", "changed", "moved", "removed"];

/** Marks how a component differs from the current version. */
export function drawMarks(changes: readonly Change[]): readonly Content[] {
  return changes.map((it) => h("span", { className: `change ${it}` }, it));
}

/** Draws the values that differ, behind a line that names them; nothing if there are none. */
export function drawDifferences(
  id: string,
  differences: readonly Difference[],
  { language, printPath }: Words,
  label = "Differs from the current version",
): Content {
  if (differences.length === 0) return undefined;
  const paths = differences.map(({ path }) => printPath(path.replace(/^component\./, "")));
  const more = paths.length === 1 ? "" : ` and ${paths.length - 1} more`;
  const rows = differences.map(({ path, current, preview }, index) =>
    h(
      "li",
      {},
      h("b", { title: path }, paths[index]),
      h(
        "dl",
        {},
        ...[["Current", current] as const, ["Preview", preview] as const].map(([term, value]) =>
          h("div", {}, h("dt", {}, term), h("dd", {}, printValue(value, language))),
        ),
      ),
    ),
  );
  return h(
    "details",
    { id, className: "differences" },
    h("summary", {}, `${label}: ${paths[0]}${more}`),
    h("ul", {}, ...rows),
  );
}

/** Draws how many components differ, with a link to each, and how the page itself does. */
export function drawSummary(
  shown: string,
  compared: readonly Compared[],
  ofPage: readonly Difference[],
  words: Words,
): HTMLElement {
  const different = compared.filter(({ changes }) => changes.length > 0);
  const counts = ORDER.flatMap((change) => {
    const count = different.filter(({ changes }) => changes.includes(change)).length;
    return count === 0 ? [] : [`${count} ${change}`];
  });
  const components =
    different.length === 0 ? "the same components as the current version" : counts.join(", ");
  const links = different.map(({ resolved, changes }) =>
    h("li", {}, jump(idOf(resolved), "", titleOf(resolved, words.language)), ...drawMarks(changes)),
  );
  return h(
    "section",
    { className: "summary", "aria-label": "Differences from the current version" },
    h("p", {}, h("b", {}, shown), `: ${components}`),
    links.length > 0 ? h("ul", {}, ...links) : undefined,
    drawDifferences("differences-page", ofPage, words, "The page differs from the current version"),
  );
}
