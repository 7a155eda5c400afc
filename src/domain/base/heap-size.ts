/** The bytes of the heap that a value of an object takes with its name, without its text. */
const VALUE = 96;

/** Estimates the bytes of the heap that a message or JSON takes. Counting ends beyond `most`. */
export function estimateHeap(value: unknown, most: number): number {
  const rest = [value];
  let bytes = 0;
  while (rest.length > 0 && bytes <= most) {
    const next = rest.pop();
    bytes += VALUE;
    if (typeof next === "string" || next instanceof Uint8Array) bytes += next.length;
    else if (typeof next === "object" && next !== null) {
      for (const each of Object.values(next)) rest.push(each);
    }
  }
  return bytes;
}
