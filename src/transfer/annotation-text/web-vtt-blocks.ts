import { malformed } from "./malformed.ts";

// The blocks of a WebVTT text (WebVTT 1, 4.1):
//
//   text   = [ U+FEFF ] header { end } [ end end { block } ] ;
//   header = "WEBVTT" [ blank line ] { end line } ;
//   block  = lines that are not empty, up to the next empty one
//          = cue | note | style | region ;
//   note   = "NOTE" [ blank line ] { end line } ;
//   style  = "STYLE" { end line } ;    region = "REGION" { end line } ;
//   line   = any characters but "-->" and the ends of lines ;
//   blank  = space | tab ;    end = CRLF | LF | CR ;

/** A block between empty lines, below the header. */
export interface Block {
  readonly kind: "cue" | "note" | "skipped";
  /** Its first line, from 1. */
  readonly line: number;
  /** Without line ends; at least one. */
  readonly lines: readonly [string, ...string[]];
}

const LINE_END = /\r\n|\r|\n/;
const ARROW = "-->";

/** Splits a WebVTT text into its blocks. INVALID_ARGUMENT `WEBVTT_MALFORMED`. */
export function* readBlocks(text: string): Generator<Block> {
  const lines = text
    .replace(/^\ufeff/, "")
    .replaceAll("\0", "\ufffd")
    .split(LINE_END);
  let at = readHeader(lines);
  while (at < lines.length) {
    const start = at;
    while (at < lines.length && lines[at] !== "") at += 1;
    const [first, ...others] = lines.slice(start, at);
    if (first !== undefined) yield toBlock(start + 1, [first, ...others]);
    at += 1;
  }
}

/** Reports whether a line begins a block other than a cue. */
export function beginsOtherBlock(line: string): boolean {
  return /^(?:NOTE|STYLE|REGION)(?:[ \t]|$)/.test(line);
}

function readHeader(lines: readonly string[]): number {
  if (!/^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? ""))
    throw refuse(1, "the text must begin with WEBVTT");
  const end = lines.indexOf("");
  const header = end < 0 ? lines : lines.slice(0, end);
  const arrow = header.findIndex((line) => line.includes(ARROW));
  if (arrow >= 0)
    throw refuse(arrow + 1, "missing empty line between the header and the first cue");
  return header.length;
}

function toBlock(line: number, lines: Block["lines"]): Block {
  const arrow = lines.findIndex((it) => it.includes(ARROW));
  if (arrow !== 0 && beginsOtherBlock(lines[0])) {
    if (arrow > 0) throw refuse(line + arrow, "unexpected '-->' in a NOTE, STYLE or REGION block");
    return { kind: lines[0].startsWith("NOTE") ? "note" : "skipped", line, lines };
  }
  if (arrow < 0 || arrow > 1) {
    throw refuse(line, "expected a cue, with '-->' on its first or second line");
  }
  const second = lines.findIndex((it, at) => at > arrow && it.includes(ARROW));
  if (second > 0) {
    throw refuse(
      line + second,
      "unexpected '-->' in the text of a cue; an empty line may be missing",
    );
  }
  return { kind: "cue", line, lines };
}

function refuse(line: number, why: string) {
  return malformed("WEBVTT_MALFORMED", line, why);
}
