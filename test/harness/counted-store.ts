import type { Store } from "../../src/storage/contract/store.ts";

/** A call of a method of a store. */
export interface StoreCall {
  /** The names that lead to the method, such as `in.documents.page.getMany`. */
  readonly name: string;
  readonly args: readonly unknown[];
}

/** Makes a store that adds each call of its methods to a list, but not the calls within transactions. */
export function recordCalls(store: Store, calls: StoreCall[]): Store {
  return recordIn(store, "", calls);
}

function recordIn<T extends object>(target: T, path: string, calls: StoreCall[]): T {
  return new Proxy(target, {
    get(_, key) {
      const member: unknown = Reflect.get(target, key, target);
      const name = path === "" ? String(key) : `${path}.${String(key)}`;
      if (typeof member === "object" && member !== null) return recordIn(member, name, calls);
      if (typeof member !== "function") return member;
      return (...args: readonly unknown[]) => {
        const result: unknown = Reflect.apply(member, target, args);
        // `in` reads nothing.
        if (name === "in") return recordIn(result as object, name, calls);
        calls.push({ name, args });
        return result;
      };
    },
  });
}
