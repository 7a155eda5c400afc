import type { Message } from "@bufbuild/protobuf";

const TEXT = Symbol("the JSON that a message was read from");

type Noted = Message & { [TEXT]?: string };

/** Notes the JSON that a message was read from, so that an answer need not write it anew. */
export function attachJsonText(message: Message, json: string): void {
  (message as Noted)[TEXT] = json;
}

/** Finds the JSON of a message, as delivery writes it: camelCase names, no implicit zero values. */
export function findJsonText(message: Message): string | undefined {
  return (message as Noted)[TEXT];
}
