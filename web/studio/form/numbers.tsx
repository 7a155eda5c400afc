import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { setAt } from "../resource.ts";
import { Suggestions } from "../select.tsx";
import { type ControlProps, inputOf } from "./control.ts";
import { TypedText } from "./typed-text.tsx";

/** A number, or a whole number. 64-bit numbers are texts in JSON. */
export function Numeric(props: ControlProps) {
  const { field, value, onChange } = props;
  const isWhole = field.control === "integer";
  const readWhole = (text: string) => {
    if (!/^-?\d+$/.test(text)) return undefined;
    return field.schema.format === "int64" ? text : Number(text);
  };
  return (
    <TypedText
      {...inputOf(props)}
      {...{ value, onChange, print: String }}
      read={isWhole ? readWhole : readNumber}
      inputMode={isWhole ? "numeric" : "decimal"}
      explain={() => (isWhole ? "A whole number, such as 8" : "A number, such as 0.5")}
    />
  );
}

/** A comma that may separate thousands, or the decimal places. */
const AMBIGUOUS = /,\d{3}$/;

/** Reads a number; undefined: it is none, or may be two. */
export function readNumber(text: string): number | undefined {
  if (AMBIGUOUS.test(text)) return undefined;
  const number = Number(text.replace(",", "."));
  return text.trim() === "" || !Number.isFinite(number) ? undefined : number;
}

const CURRENCIES = ["EUR", "USD", "GBP", "JPY", "BRL", "MXN", "CAD", "AUD", "CHF"];

/** An amount in a currency. */
export function Money(props: ControlProps) {
  const { field, value, onChange, isDisabled } = props;
  const money = (value ?? {}) as JsonObject;
  const change = (changed: JsonObject) =>
    onChange(Object.keys(changed).length === 0 ? undefined : changed);
  const currency = String(money.currency_code ?? "");
  const { units: _, nanos: __, ...withoutAmount } = money;
  return (
    <div class="money">
      <TypedText
        {...inputOf(props)}
        aria-label={field.label}
        inputMode="decimal"
        placeholder="9.99"
        explain={() => "An amount, such as 9.99"}
        value={"units" in money || "nanos" in money ? money : undefined}
        print={printAmount}
        read={readAmount}
        onChange={(amount) => change({ ...withoutAmount, ...(amount as JsonObject) })}
      />
      <input
        class="short"
        aria-label="Currency"
        list="currencies"
        placeholder="Currency"
        maxLength={3}
        value={currency}
        disabled={isDisabled}
        onInput={({ currentTarget: { value: code } }) =>
          change(setAt(money, ["currency_code"], code.toUpperCase() || undefined))
        }
      />
      <Suggestions id="currencies" options={CURRENCIES.map((it) => [it, ""])} />
    </div>
  );
}

/** Writes an amount by its units and billionths, without the error of a floating point number. */
function printAmount(value: JsonValue): string {
  const { units = "0", nanos = 0 } = value as { units?: string; nanos?: number };
  const sign = String(units).startsWith("-") || nanos < 0 ? "-" : "";
  const fraction = String(Math.abs(nanos)).padStart(9, "0").replace(/0+$/, "");
  const digits = fraction === "" ? "" : `.${fraction.padEnd(2, "0")}`;
  return `${sign}${String(units).replace("-", "")}${digits}`;
}

/** Reports whether a value is an amount in a currency. */
export function isAmount(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && "currency_code" in value;
}

/** Writes an amount with its currency, such as `9.99 EUR`. */
export function printMoney(value: JsonObject): string {
  return `${printAmount(value)} ${String(value.currency_code)}`;
}

function readAmount(text: string): JsonObject | undefined {
  const [, sign = "", units = "", fraction = ""] = /^(-?)(\d+)(?:[.,](\d{1,9}))?$/.exec(text) ?? [];
  if (units === "" || AMBIGUOUS.test(text)) return undefined;
  const nanos = Number(`${sign}${fraction.padEnd(9, "0")}`);
  const whole = BigInt(sign + units);
  return {
    ...(whole !== 0n || nanos === 0 ? { units: String(whole) } : {}),
    ...(nanos !== 0 && { nanos }),
  };
}
