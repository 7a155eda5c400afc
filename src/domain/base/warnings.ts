import { clipBytes } from "./text.ts";

/** A probable mistake in a request that succeeds. */
export interface Warning {
  /** What is probably wrong, such as `FIELD_UNKNOWN`. */
  readonly code: string;
  readonly message: string;
  /** The path of the field that it is about, if there is one. */
  readonly field?: string;
}

/** The maximum number of warnings about a request. */
export const MOST_WARNINGS = 20;

/** The maximum length of the header, and of the message of a warning, in bytes. */
const WARNING_LIMITS = { header: 2_048, message: 512 };

/**
 * Writes warnings as the value of the header `Marquee-Warnings`: a JSON array in ASCII, of the first ones that fit.
 * Undefined without warnings.
 */
export function printWarnings(warnings: readonly Warning[]): string | undefined {
  let text = "";
  for (const { code, field, message } of warnings) {
    const clipped = clipBytes(message, WARNING_LIMITS.message);
    const warning = toAscii(JSON.stringify({ code, field, message: clipped }));
    const longer = text === "" ? warning : `${text},${warning}`;
    if (longer.length + "[]".length > WARNING_LIMITS.header) break;
    text = longer;
  }
  return text === "" ? undefined : `[${text}]`;
}

function toAscii(json: string): string {
  return json.replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
