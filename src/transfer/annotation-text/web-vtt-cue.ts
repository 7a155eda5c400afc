import { quote } from "../../transcoding/quote.ts";
import { parseTitle, printTitle } from "./cue-title.ts";
import { malformed } from "./malformed.ts";
import { parseTimestamp, printTimestamp } from "./offset-text.ts";
import { type Block, beginsOtherBlock } from "./web-vtt-blocks.ts";

// A cue of a WebVTT text (WebVTT 1, 4.1 and 4.3):
//
//   cue     = [ id end ] times { end line } ;
//   times   = timestamp blanks "-->" blanks timestamp { blanks setting } ;
//   setting = name ":" value ;

/** The contents of a cue, by the names of the corresponding fields of an annotation. */
export interface Cue {
  /** Empty for a cue without an identifier. */
  readonly id: string;
  /** A timestamp `hh:mm:ss.mmm`. */
  readonly start_offset: string;
  /** A timestamp `hh:mm:ss.mmm`. */
  readonly end_offset: string;
  /** The title, not escaped. */
  readonly timer_label: string;
}

const TIMES = /^[ \t]*([^ \t]+)[ \t]+-->[ \t]+([^ \t]+)(?:[ \t]+(.*))?$/;
const SETTING = /^[^:]+:[^ \t]+$/;

/** Reads a cue without its settings. INVALID_ARGUMENT `WEBVTT_MALFORMED`. */
export function readCue(block: Block): Cue {
  const at = block.lines[0].includes("-->") ? 0 : 1;
  const line = block.line + at;
  const [, start, end, settings = ""] = TIMES.exec(block.lines[at] ?? "") ?? [];
  if (start === undefined || end === undefined) {
    throw malformed("WEBVTT_MALFORMED", line, "expected 'hh:mm:ss.mmm --> hh:mm:ss.mmm'");
  }
  for (const setting of settings.split(/[ \t]+/).filter((it) => it !== "")) {
    if (SETTING.test(setting)) continue;
    throw malformed("WEBVTT_MALFORMED", line, `the setting ${quote(setting)} is not 'name:value'`);
  }
  return {
    id: at === 0 ? "" : block.lines[0],
    start_offset: readTime(start, line),
    end_offset: readTime(end, line),
    timer_label: parseTitle(block.lines.slice(at + 1).join("\n")),
  };
}

/** Writes a cue and a line end. */
export function printCue({ id, start_offset, end_offset, timer_label }: Cue): string {
  const lines = [`${start_offset} --> ${end_offset}`];
  if (id !== "") lines.unshift(id);
  if (timer_label !== "") lines.push(printTitle(timer_label));
  return `${lines.join("\n")}\n`;
}

/** Reports whether an id can be the identifier of a cue. */
export function isIdentifier(id: string): boolean {
  return !/[\r\n\0]|-->/.test(id) && !beginsOtherBlock(id);
}

function readTime(text: string, line: number): string {
  const nanos = parseTimestamp(text);
  if (nanos !== undefined) return printTimestamp(nanos);
  const why = `${quote(text)} is not a time [hh:]mm:ss.mmm`;
  throw malformed("WEBVTT_MALFORMED", line, why);
}
