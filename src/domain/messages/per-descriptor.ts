/** Returns a function that computes its result once for each descriptor of a message, a field or a method. */
export function perDescriptor<Desc extends object, Result>(
  compute: (descriptor: Desc) => Result,
): (descriptor: Desc) => Result {
  const results = new WeakMap<Desc, Result>();
  return (descriptor) => {
    if (results.has(descriptor)) return results.get(descriptor) as Result;
    const result = compute(descriptor);
    results.set(descriptor, result);
    return result;
  };
}
