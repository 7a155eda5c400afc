import type { Change, Compared, Difference } from "./compare.ts";
import { type Content, h } from "./element.ts";
import { jump } from "./parts.ts";
import { idOf, titleOf } from "./resolved.ts";
import { printValue, toSnake } from "./text.ts";

const ORDER: readonly Change[] = ["added", "changed", "moved", "removed"];

/** Marks how a component differs from the current version. */
export function drawMarks(changes: readonly Change[]): readonly Content[] {
  return changes.map((it) => h("span", { className: `change ${it}` }, it));
}

/** Draws the values that differ, behind a line that names them; nothing if there are none. */
export function drawDifferences(
  id: string,
  differences: readonly Difference[],
  language: string,
  label = "Differs from the current version",
): Content {
  if (differences.length === 0) return undefined;
  const paths = differences.map((it) =>
    it.path.replace(/^component\./, "").replace(/^\w+/, toSnake),
  );
  const more = paths.length === 1 ? "" : ` and ${paths.length - 1} more`;
  const rows = differences.map(({ current, preview }, index) =>
    h(
      "li",
      {},
      h("code", {}, paths[index]),
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
  language: string,
): HTMLElement {
  const different = compared.filter(({ changes }) => changes.length > 0);
  const counts = ORDER.flatMap((change) => {
    const count = different.filter(({ changes }) => changes.includes(change)).length;
    return count === 0 ? [] : [`${count} ${change}`];
  });
  const components =
    different.length === 0 ? "the same components as the current version" : counts.join(", ");
  const links = different.map(({ resolved, changes }) =>
    h("li", {}, jump(idOf(resolved), "", titleOf(resolved, language)), ...drawMarks(changes)),
  );
  return h(
    "section",
    { className: "summary", "aria-label": "Differences from the current version" },
    h("p", {}, h("b", {}, shown), `: ${components}`),
    links.length > 0 ? h("ul", {}, ...links) : undefined,
    drawDifferences(
      "differences-page",
      ofPage,
      language,
      "The page differs from the current version",
    ),
  );
}
