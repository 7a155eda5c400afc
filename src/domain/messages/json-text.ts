import type { Message } from "@bufbuild/protobuf";

const TEXT = Symbol("JSON source");

type WithText = Message & { [TEXT]?: string };

/** Attaches the JSON that a message was parsed from, so that answers need not serialize it again. */
export function attachJsonText(message: Message, json: string): void {
  (message as WithText)[TEXT] = json;
}

/** Returns the attached JSON of a message in delivery's form: camelCase names, no implicit zero values. */
export function findJsonText(message: Message): string | undefined {
  return (message as WithText)[TEXT];
}
