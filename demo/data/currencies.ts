import type { Money } from "../../gen/google/type/money_pb.ts";
import { toMoney } from "../../src/domain/monetization/money.ts";

/** A currency of the demo's prices. */
export interface Currency {
  readonly code: string;
  /** The decimal places of its smallest unit: 2 for EUR, 0 for JPY, 3 for KWD. */
  readonly decimals: number;
  /** The rate of value added tax, in thousandths. */
  readonly vat: bigint;
  /** The relative frequency of its choice. */
  readonly weight: number;
}

/** The currencies, with the tax of one of their countries. */
export const CURRENCIES = [
  { code: "EUR", decimals: 2, vat: 190n, weight: 45 },
  { code: "USD", decimals: 2, vat: 0n, weight: 25 },
  { code: "GBP", decimals: 2, vat: 200n, weight: 15 },
  { code: "JPY", decimals: 0, vat: 100n, weight: 10 },
  { code: "KWD", decimals: 3, vat: 0n, weight: 5 },
] as const satisfies readonly Currency[];

/** The code of one of the currencies. */
export type CurrencyCode = (typeof CURRENCIES)[number]["code"];

/** Creates an amount from a number of smallest units of a currency. */
export function toAmount({ code, decimals }: Currency, coins: bigint): Money {
  return toMoney(code, coins * 10n ** BigInt(9 - decimals));
}
