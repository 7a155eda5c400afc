/** Decides whether two JSON texts are equal, ignoring the order of keys. */
export function isSameJson(a: string, b: string): boolean {
  if (a === b) return true;
  // Equal members have equal lengths, whatever their order.
  return a.length === b.length && isSame(JSON.parse(a), JSON.parse(b));
}

function isSame(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
