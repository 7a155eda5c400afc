import type { DescMethod } from "@bufbuild/protobuf";
import { ByteBoundedMap } from "./byte-bounded-map.ts";

/** Remembers the canonical forms of messages by their bytes: to parse a message takes longer than to find it. */
export interface CanonicalForms {
  /** Returns the form of a message in a codec; `write` writes it, undefined if it has none. */
  find(
    method: DescMethod,
    form: { readonly codec: string },
    bytes: Uint8Array,
    write: () => string | undefined,
  ): string | undefined;
}

/** Creates a memory of at most about `maxBytes`. */
export function createCanonicalForms(maxBytes: number): CanonicalForms {
  const known = new ByteBoundedMap<string>(
    maxBytes,
    (key, form) => key.length + form.length + ENTRY_BYTES,
  );
  return {
    find({ parent, name }, { codec }, bytes, write) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
      const key = `${parent.typeName}/${name}\n${codec}\n${text}`;
      const found = known.get(key);
      if (found !== undefined) return found;
      const form = write();
      if (form !== undefined) known.set(key, form);
      return form;
    },
  };
}

/** The approximate size of an entry beside its texts. */
const ENTRY_BYTES = 256;
