import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Money } from "../../../gen/google/type/money_pb.ts";
import type { Json } from "./json.ts";

/** Returns the `Date` of a timestamp, to the millisecond; undefined for none. */
export function date(time: Timestamp | string): Date;
export function date(time: Timestamp | string | undefined): Date | undefined;
export function date(time: Timestamp | string | undefined): Date | undefined {
  if (time === undefined) return undefined;
  if (typeof time === "string") return new Date(time);
  return new Date(Number(time.seconds) * 1_000 + Math.floor(time.nanos / 1_000_000));
}

/**
 * Returns a text in the first of the languages that it has, such as `navigator.languages`. A text in `de` serves `de-AT`.
 * Otherwise returns the English text, or any other; the empty string without any.
 */
export function text(
  localized: Readonly<Record<string, string>> | undefined,
  languages: string | readonly string[],
): string {
  const texts = Object.entries(localized ?? {}).filter(([, it]) => it !== "");
  for (const wanted of [languages, "en"].flat()) {
    // From the language itself to wider ones: zh-Hant-TW, zh-Hant, zh.
    for (
      let tag = wanted.toLowerCase();
      tag !== "";
      tag = tag.slice(0, Math.max(0, tag.lastIndexOf("-")))
    ) {
      const match = texts.find(([language]) => language.toLowerCase() === tag);
      if (match !== undefined) return match[1];
    }
  }
  return texts[0]?.[1] ?? "";
}

/** Returns an amount as a locale writes it, such as `9,99 €`; the empty string for none. All digits are exact. */
export function price(
  money: Money | Json<Money> | undefined,
  locale?: string | readonly string[],
): string {
  if (money === undefined) return "";
  const { currencyCode, units, nanos } = money;
  const sign = nanos < 0 && BigInt(units) === 0n ? "-" : "";
  const amount = `${sign}${units}.${String(Math.abs(nanos)).padStart(9, "0")}`;
  const format = new Intl.NumberFormat(locale as string | string[] | undefined, {
    style: "currency",
    currency: currencyCode,
  });
  return format.format(amount as `${number}`);
}
