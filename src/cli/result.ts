/** Prints a result: as text, or as a JSON object on one line with `--json`. */
export function printResult(
  { json }: { readonly json: boolean },
  result: object,
  text: string,
): void {
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : text);
}
