import type { Message } from "@bufbuild/protobuf";

const TEXTS = new WeakMap<Message, string>();

/** Notes the JSON that a message was read from, so that an answer need not write it anew. */
export function attachJsonText(message: Message, json: string): void {
  TEXTS.set(message, json);
}

/** Finds the JSON of a message, as delivery writes it: camelCase names, no implicit zero values. */
export function findJsonText(message: Message): string | undefined {
  return TEXTS.get(message);
}
