/** A table of what was measured, to be printed as Markdown. */
export interface Table {
  /** Adds a row and prints it at once, so that a long run shows where it is. */
  add(work: string, value: number | string, bar: string): void;
  print(): string;
}

/** Creates an empty table. */
export function createTable(): Table {
  const rows: string[] = ["| Work | Measured | Bar |", "|---|---|---|"];
  return {
    add(work, value, bar) {
      const row = `| ${work} | ${typeof value === "number" ? toText(value) : value} | ${bar} |`;
      rows.push(row);
      console.log(row);
    },
    print: () => `\n${rows.join("\n")}`,
  };
}

function toText(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
