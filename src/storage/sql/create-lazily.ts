/** Factories of an object's members, each from the same parts. */
type Factories<T, Parts> = { readonly [Name in keyof T]: (parts: Parts) => T[Name] };

/** Creates a factory of objects whose members are created on first use. */
export function createLazily<T extends object, Parts>(
  factories: Factories<T, Parts>,
): (parts: Parts) => T {
  const prototype = {};
  const partsKey = Symbol("parts");
  for (const [name, create] of Object.entries<(parts: Parts) => unknown>(factories)) {
    Object.defineProperty(prototype, name, {
      get(this: { readonly [partsKey]: Parts }) {
        const value = create(this[partsKey]);
        Object.defineProperty(this, name, { value, enumerable: true });
        return value;
      },
    });
  }
  return (parts) => Object.create(prototype, { [partsKey]: { value: parts } }) as T;
}
