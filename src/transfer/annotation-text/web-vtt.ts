import { create } from "@bufbuild/protobuf";
import {
  type Annotation,
  AnnotationSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { AnnotationText } from "./annotation-text.ts";
import { FIELD_NAMES, type FieldName, printField, readField } from "./fields.ts";
import { malformed, quote } from "./malformed.ts";
import { TextChecker } from "./text-checker.ts";
import { toCues } from "./to-cues.ts";
import { type Block, readBlocks } from "./web-vtt-blocks.ts";
import { printCue, readCue } from "./web-vtt-cue.ts";
import { isShownName, type Note, printNote, readNote } from "./web-vtt-note.ts";

/** Settings of {@link printWebVtt}. */
export interface WebVttOptions {
  /**
   * Gives the title of an annotation that has no timer_label to show, such as the name of its type;
   * default: an empty one.
   */
  readonly titleOf?: (annotation: Annotation) => string;
}

/**
 * Parses annotations from the chapters of a WebVTT text, an annotation a cue: its identifier is the
 * id, empty if it has none, its times are start_offset and end_offset, its text without markup is the
 * timer_label, and offset is start_offset. A note that {@link printWebVtt} writes says the rest. Other
 * notes, styles, regions and the settings of cues are skipped.
 *
 * INVALID_ARGUMENT `WEBVTT_MALFORMED`, message `line N: why`, for what is no WebVTT, for a broken note,
 * one without its cue and an id that is there twice; `OFFSET_INVALID` and `VALUE_OUT_OF_RANGE` as for
 * an annotation of a request, after `line N: `.
 */
export function parseWebVtt(text: string): AnnotationText[] {
  const texts: AnnotationText[] = [];
  const checker = new TextChecker("WEBVTT_MALFORMED");
  let note: Note | undefined;
  for (const block of readBlocks(text)) {
    if (block.kind === "note") {
      const found = readNote(block);
      if (found !== undefined && note !== undefined) throw refuse(note.line, NO_CUE);
      note = found ?? note;
    } else if (block.kind === "cue") {
      const read = { line: block.line, annotation: readAnnotation(block, note) };
      checker.check(read);
      texts.push(read);
      note = undefined;
    }
  }
  if (note !== undefined) throw refuse(note.line, NO_CUE);
  return texts;
}

/**
 * Writes annotations as chapters in WebVTT, by start, order and id; the start is start_offset, else
 * offset, else 0. Times are cut to milliseconds. Without end_offset a cue ends where the next later one
 * starts, the last one a millisecond behind its start, as does one whose end is not behind its start.
 * The title is timer_label, else that of `titleOf`. Where the cue shows something else than the annotation has, and for the
 * fields that a cue cannot show, a note before it, which players skip, has what the annotation has, so
 * that {@link parseWebVtt} gives it back exactly.
 */
export function printWebVtt(
  annotations: readonly Annotation[],
  { titleOf = () => "" }: WebVttOptions = {},
): string {
  const cues = toCues(annotations, titleOf);
  const blocks = cues.map(({ annotation, cue }) => printNote(annotation, cue) + printCue(cue));
  return ["WEBVTT\n", ...blocks].join("\n");
}

const NO_CUE = "the note of marquee has no cue below it";

function readAnnotation(block: Block, note: Note | undefined): Annotation {
  const cue = readCue(block);
  const annotation = create(AnnotationSchema);
  const read = (name: FieldName, text: string, line: number) =>
    readField(annotation, name, text, line, "WEBVTT_MALFORMED");
  for (const name of FIELD_NAMES) {
    const isOfCue = isShownName(name) && note?.shown.get(name) !== cue[name];
    if (isOfCue) read(name, cue[name], block.line);
    else read(name, note?.values.get(name) ?? "", note?.line ?? block.line);
  }
  if (annotation.id !== "" && cue.id !== "" && annotation.id !== cue.id) {
    throw refuse(block.line, `the note above it is of ${quote(annotation.id)}`, "id");
  }
  read("id", cue.id, block.line);
  if (!note?.values.has("offset")) {
    read("offset", printField(annotation, "start_offset"), block.line);
  }
  return annotation;
}

function refuse(line: number, why: string, name?: string) {
  return malformed("WEBVTT_MALFORMED", line, why, name);
}
