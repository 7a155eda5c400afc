/** Returns an object with some methods of its own, whose other members are those of another object. */
export function override<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
