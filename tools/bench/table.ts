import { BEFORE, GOALS, type Goal } from "./goals.ts";

/**
 * A table of what was measured, to be printed as Markdown. Every row is also written to standard error as it is
 * added.
 */
export interface Table {
  add(work: string, value: number | string, bar?: string): void;
  /** Adds the value of a work with a goal, and what is special in this run about it. */
  addGoal(name: keyof typeof GOALS, value: number, note?: string): void;
  /** Returns the works with goals in the order of the goals, then the others. */
  print(): string;
}

/** Creates an empty table. */
export function createTable(): Table {
  const measured = new Map<string, string>();
  const others: string[] = [];
  return {
    add(work, value, bar = "") {
      const row = toRow(work, typeof value === "number" ? toText(value) : value, bar);
      others.push(row);
      console.error(row);
    },
    addGoal(name, value, note = "") {
      const { work, before, bar, goal }: Goal = GOALS[name];
      const row = toRow(`${work}${note}`, toText(value), before, bar, goal);
      measured.set(name, row);
      console.error(row);
    },
    print() {
      const goals = Object.keys(GOALS).flatMap((name) => measured.get(name) ?? []);
      return [
        ...head(goals, "Work", "Measured", `At ${BEFORE}`, "Bar", "Goal"),
        ...head(others, "Work", "Measured", "Bar"),
      ].join("\n");
    },
  };
}

function head(rows: readonly string[], ...columns: readonly string[]): readonly string[] {
  if (rows.length === 0) return [];
  return ["", toRow(...columns), `|${"---|".repeat(columns.length)}`, ...rows];
}

function toRow(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function toText(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`measured ${value}`);
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 1 ? 2 : 3);
}
