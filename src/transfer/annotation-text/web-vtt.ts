import { create } from "@bufbuild/protobuf";
import {
  type Annotation,
  AnnotationSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { quote } from "../../transcoding/quote.ts";
import { type AnnotationText, TextChecker } from "./annotation-text.ts";
import { FIELD_NAMES, type FieldName, printField, readField } from "./fields.ts";
import { malformed } from "./malformed.ts";
import { toCues } from "./to-cues.ts";
import { type Block, readBlocks } from "./web-vtt-blocks.ts";
import { printCue, readCue } from "./web-vtt-cue.ts";
import { isShownName, type Note, printNote, readNote } from "./web-vtt-note.ts";

/** Settings of {@link printWebVtt}. */
export interface WebVttOptions {
  /**
   * Returns the title of an annotation without a timer_label, such as the name of its type; default: an empty
   * title.
   */
  readonly titleOf?: (annotation: Annotation) => string;
}

/**
 * Parses annotations from the chapters of a WebVTT text, one for each cue: its identifier is the id, its times
 * are start_offset and end_offset, its text without markup is the timer_label, and offset equals start_offset.
 * A note written by {@link printWebVtt} adds the rest. Other notes, styles, regions and cue settings are
 * skipped.
 *
 * INVALID_ARGUMENT `WEBVTT_MALFORMED` with the message `line N: fault` for invalid WebVTT, an invalid note, a
 * note without a cue and a duplicate id; `OFFSET_INVALID` and `VALUE_OUT_OF_RANGE` as for an annotation in a
 * request, prefixed by `line N: `.
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
 * Writes annotations as WebVTT chapters, ordered by start, order and id. A cue starts at start_offset, else
 * offset, else 0, and ends at end_offset or, without one, at the next later start; the last cue, and one that
 * would not end after its start, lasts a millisecond. Times are truncated to milliseconds. The title is
 * timer_label, else that of `titleOf`. A note before the cue, which players skip, contains the fields that the
 * cue cannot represent, so that {@link parseWebVtt} restores the annotation exactly.
 */
export function printWebVtt(
  annotations: readonly Annotation[],
  { titleOf = () => "" }: WebVttOptions = {},
): string {
  const cues = toCues(annotations, titleOf);
  const blocks = cues.map(({ annotation, cue }) => printNote(annotation, cue) + printCue(cue));
  return ["WEBVTT\n", ...blocks].join("\n");
}

const NO_CUE = "no cue follows this NOTE marquee";

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
    throw refuse(block.line, `the note above is for ${quote(annotation.id)}`, "id");
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
