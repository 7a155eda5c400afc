import type { JsonValue } from "@bufbuild/protobuf";
import type { Duration, Timestamp, Value } from "@bufbuild/protobuf/wkt";

/** The JSON of a message. Every field is optional, because default values are omitted. */
export type JsonOf<T> = T extends bigint | Duration | Timestamp
  ? string
  : T extends Value
    ? JsonValue
    : T extends number
      ? NumberOrName<T>
      : T extends JsonValue
        ? T
        : T extends readonly (infer Element)[]
          ? readonly JsonOf<Element>[]
          : Flat<T>;

/** A number, or the name of an enum's value. */
type NumberOrName<T extends number> = number extends T ? number : string;

interface Oneof {
  readonly case: string | undefined;
  readonly value?: unknown;
}

type OwnKeys<T> = keyof { [K in keyof T as K extends `$${string}` ? never : K]: T[K] };

type Flat<T> = {
  readonly [K in OwnKeys<T> as T[K] extends Oneof ? never : K]?: JsonOf<NonNullable<T[K]>>;
} & Intersection<{ [K in OwnKeys<T>]-?: T[K] extends Oneof ? Members<T[K]> : never }[OwnKeys<T>]>;

/** The members of a oneof; one is set. */
type Members<T> = T extends { readonly case: infer Case extends string; readonly value: infer V }
  ? { readonly [K in Case]?: JsonOf<V> }
  : never;

type Intersection<T> = [T] extends [never]
  ? unknown
  : (T extends unknown ? (it: T) => void : never) extends (it: infer I) => void
    ? I
    : never;
