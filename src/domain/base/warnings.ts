import { clipBytes } from "./text.ts";

/** A probable mistake in a request that succeeds. */
export interface Warning {
  /** What is probably wrong, such as `FIELD_UNKNOWN`. */
  readonly code: string;
  readonly message: string;
  /** The paths of the fields that it is about, if there are any. */
  readonly fields?: readonly string[];
}

/** The maximum number of warnings about a request. */
export const MOST_WARNINGS = 20;

/** The maximum length of the header, and of the message of a warning, in bytes. */
const WARNING_LIMITS = { header: 2_048, message: 512 };

/**
 * Writes warnings as the value of the header `Marquee-Warnings`: a JSON array in ASCII, of the first ones that fit. The
 * first one fits without its last fields, if need be. Undefined without warnings.
 */
export function printWarnings([first, ...others]: readonly Warning[]): string | undefined {
  if (first === undefined) return undefined;
  let text = print(first);
  for (let fields = first.fields ?? []; !fits(text) && fields.length > 0; ) {
    fields = fields.slice(0, -1);
    text = print({ ...first, fields });
  }
  for (const warning of others) {
    const longer = `${text},${print(warning)}`;
    if (!fits(longer)) break;
    text = longer;
  }
  return `[${text}]`;
}

/** Reads the warnings of a header that {@link printWarnings} wrote. */
export function readWarnings(header: string): readonly Warning[] {
  return JSON.parse(header);
}

function fits(text: string): boolean {
  return text.length + "[]".length <= WARNING_LIMITS.header;
}

function print({ code, fields, message }: Warning): string {
  const clipped = clipBytes(message, WARNING_LIMITS.message);
  return toAscii(JSON.stringify({ code, fields, message: clipped }));
}

function toAscii(json: string): string {
  return json.replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
