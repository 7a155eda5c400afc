import {
  type DescMessage,
  type JsonWriteOptions,
  type Message,
  toJsonString,
} from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import { readField } from "../domain/base/descriptors.ts";
import type { Steps } from "../domain/base/steps.ts";
import { composeJson, MessageJson } from "./message-json.ts";

/**
 * Writes a message in UTF-8 as `toJsonString` does, with a newline for readers in a terminal. Each message in its lists is a
 * step.
 */
export function* writeJson(
  desc: DescMessage,
  message: Message,
  options?: Partial<JsonWriteOptions>,
): Steps<Uint8Array> {
  const { $typeName, $unknown, ...fields } = message;
  const lists: Record<string, readonly MessageJson[]> = {};
  for (const field of desc.fields) {
    if (field.fieldKind !== "list" || field.message === undefined) continue;
    const items: MessageJson[] = [];
    for (const item of readField(message, field) as readonly Message[]) {
      const text = toJsonString(field.message, item, options);
      items.push(new MessageJson(field.message as GenMessage<Message>, [text]));
      yield;
    }
    lists[field.localName] = items;
  }
  return composeJson(desc as GenMessage<Message>, { ...fields, ...lists }, options).toBytes();
}
