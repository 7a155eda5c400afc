import type { Chapter } from "../domain/annotations/chapters.ts";
import { Code, DomainError } from "../domain/base/errors.ts";
import { clip } from "../domain/base/text.ts";

// A WebVTT file of chapters (WebVTT 1, 4.1 and 4.3):
//
//   file    = [ U+FEFF ] header { end } [ end end { block } ] ;
//   header  = "WEBVTT" [ blank line ] { end line } ;
//   block   = lines that are not empty, up to the next empty one
//           = cue | ( "NOTE" | "STYLE" | "REGION" ) [ blank line ] { end line } ;
//   cue     = [ id end ] times { end line } ;
//   times   = time blanks "-->" blanks time { blanks setting } ;
//   time    = [ digit digit { digit } ":" ] two ":" two "." digit digit digit ;
//   setting = name ":" value ;
//   two     = two digits, 00 to 59 ;
//   line    = any characters but "-->" and the ends of lines ;
//   blank   = space | tab ;    end = CRLF | LF | CR ;

/** A chapter of a file, with its first line, from 1. */
export interface ChapterLine {
  readonly line: number;
  readonly chapter: Chapter;
}

const LINE_END = /\r\n|\r|\n/;
const ARROW = "-->";
const OTHER_BLOCK = /^(?:NOTE|STYLE|REGION)(?:[ \t]|$)/;
const TIMES = /^[ \t]*([^ \t]+)[ \t]+-->[ \t]+([^ \t]+)(?:[ \t]+(.*))?$/;
const TIME = /^(?:(\d{2,9}):)?([0-5]\d):([0-5]\d)\.(\d{3})$/;
const SETTING = /^[^:]+:[^ \t]+$/;
/** The longest time in milliseconds: 10,000 years, as of a protobuf Duration. */
const MAX_TIME = 315_576_000_000_000;

/**
 * Parses the chapters of a WebVTT file, one for each cue. Notes, styles, regions, cue settings and markup are
 * skipped. INVALID_ARGUMENT `WEBVTT_MALFORMED` with the message `line N: …`, also for a repeated id.
 */
export function parseWebVtt(text: string): ChapterLine[] {
  const lines = text
    .replace(/^\ufeff/, "")
    .replaceAll("\0", "\ufffd")
    .split(LINE_END);
  const chapters: ChapterLine[] = [];
  const lineOfId = new Map<string, number>();
  let next = checkHeader(lines);
  while (next < lines.length) {
    const first = next;
    while (next < lines.length && lines[next] !== "") next += 1;
    const block = lines.slice(first, next);
    const chapter = parseBlock(block, first + 1);
    if (chapter !== undefined) {
      const earlier = lineOfId.get(chapter.id);
      if (earlier !== undefined) {
        throw malformed(first + 1, `id: duplicate of ${quote(chapter.id)} on line ${earlier}`);
      }
      if (chapter.id !== "") lineOfId.set(chapter.id, first + 1);
      chapters.push({ line: first + 1, chapter });
    }
    next += 1;
  }
  return chapters;
}

/** Prints chapters as a WebVTT file, in the given order. */
export function printWebVtt(chapters: readonly Chapter[]): string {
  return ["WEBVTT\n", ...chapters.map(printCue)].join("\n");
}

/** Checks the header and returns the number of its lines. */
function checkHeader(lines: readonly string[]): number {
  if (!/^WEBVTT(?:[ \t]|$)/.test(lines[0] ?? "")) {
    throw malformed(1, "the text must begin with WEBVTT");
  }
  const end = lines.indexOf("");
  const header = end < 0 ? lines : lines.slice(0, end);
  const arrow = header.findIndex((line) => line.includes(ARROW));
  if (arrow < 0) return header.length;
  throw malformed(arrow + 1, "missing empty line between the header and the first cue");
}

/** Parses a block that begins at a line; undefined for a block that is not a cue. */
function parseBlock(block: readonly string[], line: number): Chapter | undefined {
  const [first, second] = block;
  if (first === undefined) return undefined;
  const arrow = block.findIndex((it) => it.includes(ARROW));
  if (arrow !== 0 && OTHER_BLOCK.test(first)) {
    if (arrow < 0) return undefined;
    throw malformed(line + arrow, "unexpected '-->' in a NOTE, STYLE or REGION block");
  }
  if (arrow < 0 || arrow > 1) {
    throw malformed(line, "expected a cue, with '-->' on its first or second line");
  }
  const repeated = block.findIndex((it, index) => index > arrow && it.includes(ARROW));
  if (repeated > 0) {
    const why = "unexpected '-->' in the text of a cue; an empty line may be missing";
    throw malformed(line + repeated, why);
  }
  const times = arrow === 0 ? first : (second ?? "");
  const title = parseTitle(block.slice(arrow + 1).join("\n"));
  return { id: arrow === 0 ? "" : first, ...parseTimes(times, line + arrow), title };
}

function parseTimes(text: string, line: number): Pick<Chapter, "start" | "end"> {
  const [, from, to, settings = ""] = TIMES.exec(text) ?? [];
  if (from === undefined || to === undefined) {
    throw malformed(line, "expected 'hh:mm:ss.mmm --> hh:mm:ss.mmm'");
  }
  for (const setting of settings.split(/[ \t]+/).filter((it) => it !== "")) {
    if (!SETTING.test(setting)) {
      throw malformed(line, `the setting ${quote(setting)} is not 'name:value'`);
    }
  }
  const [start, end] = [parseTime(from, line), parseTime(to, line)];
  if (end < start) throw malformed(line, `the end ${to} must not be before the start ${from}`);
  return { start, end };
}

/** Parses a time to milliseconds. */
function parseTime(text: string, line: number): number {
  const [, hours = "0", minutes, seconds, milliseconds] = TIME.exec(text) ?? [];
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  const time = whole * 1_000 + Number(milliseconds);
  if (time <= MAX_TIME) return time;
  throw malformed(line, `${quote(text)} is not a time [hh:]mm:ss.mmm`);
}

function printCue({ id, start, end, title }: Chapter): string {
  const lines = [`${printTime(start)} ${ARROW} ${printTime(end)}`];
  // An id that would begin another block is omitted.
  if (id !== "" && !OTHER_BLOCK.test(id)) lines.unshift(id);
  if (title !== "") lines.push(escapeTitle(title));
  return `${lines.join("\n")}\n`;
}

function printTime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  const clock = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const fraction = String(milliseconds % 1_000).padStart(3, "0");
  return `${clock.map((it) => String(it).padStart(2, "0")).join(":")}.${fraction}`;
}

// An unclosed match extends to the end of the text, which keeps matching linear.
const RUBY_ANNOTATION = /<rt(?:[.\s][^>]*)?(?:>|$)[\s\S]*?(?:<\/(?:rt|ruby)>|$)/g;
const TAG = /<[^>]*(?:>|$)/g;
const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w+));/g;

const NAMED: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", "\u00a0"],
  ["lrm", "\u200e"],
  ["rlm", "\u200f"],
]);

/**
 * Returns the title that a player shows for the text of a cue (WebVTT 1, "rules for extracting the chapter
 * title"): without tags and ruby annotations, with character references resolved.
 */
function parseTitle(payload: string): string {
  return payload
    .replaceAll(RUBY_ANNOTATION, "")
    .replaceAll(TAG, "")
    .replaceAll(REFERENCE, (text, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return NAMED.get(name) ?? text;
      return toCharacter(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    });
}

function escapeTitle(title: string): string {
  return title.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function toCharacter(codePoint: number): string {
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  return codePoint === 0 || codePoint > 0x10ffff || isSurrogate
    ? "\ufffd"
    : String.fromCodePoint(codePoint);
}

function quote(text: string): string {
  return JSON.stringify(clip(text));
}

function malformed(line: number, why: string): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, "WEBVTT_MALFORMED", `line ${line}: ${why}`, {
    metadata: { line: String(line) },
  });
}
