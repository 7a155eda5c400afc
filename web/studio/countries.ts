const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];

/** Regions outside of ISO 3166-1 that have a name. */
const OTHERS = new Set("AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ".split(" "));

/** Lists the countries by their names in the language of the browser. */
export function listCountries(): readonly (readonly [code: string, name: string])[] {
  const names = new Intl.DisplayNames(undefined, { type: "region", fallback: "none" });
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  return codes
    .filter((code) => !OTHERS.has(code) && !isReplaced(code))
    .map((code) => [code, names.of(code) ?? ""] as const)
    .filter(([, name]) => name !== "")
    .toSorted(([, a], [, b]) => a.localeCompare(b));
}

/** Reports whether a code belongs to a country of the past, such as `SU`. */
function isReplaced(code: string): boolean {
  return Intl.getCanonicalLocales(`und-${code}`)[0] !== `und-${code}`;
}
