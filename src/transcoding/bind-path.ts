import type { DescField } from "@bufbuild/protobuf";
import type { ReflectMessage } from "@bufbuild/protobuf/reflect";
import { invalidField } from "../domain/errors.ts";
import type { Binding } from "./binding.ts";
import { isObject, type JsonValue } from "./json-value.ts";
import { quote } from "./quote.ts";
import { setMember } from "./read-message.ts";
import type { PathValues } from "./router.ts";
import { openParent, readTextValue } from "./text-value.ts";

/**
 * Sets the fields that the path carries. `sent` is the body as JSON of the whole request; a field
 * that it sets to a different value, even an empty one, is PATH_BODY_MISMATCH.
 */
export function bindPath(
  binding: Binding,
  values: PathValues,
  sent: JsonValue,
  request: ReflectMessage,
): void {
  for (const { path, fields } of binding.variables) {
    const text = values.get(path);
    if (text === undefined) {
      throw new Error(`no value for the path variable ${path} of ${binding.template.text}`);
    }
    const { parent, leaf } = openParent(request, fields, path);
    const value = readTextValue(leaf, text, path);
    if (isSent(sent, fields) && parent.get(leaf) !== value) {
      const description = `the body and the path differ; send ${quote(text)}, or omit the field`;
      throw invalidField(path, "PATH_BODY_MISMATCH", description);
    }
    setMember(parent, leaf, value, path);
  }
}

function isSent(json: JsonValue, [field, ...rest]: readonly DescField[]): boolean {
  if (field === undefined) {
    return json !== null;
  }
  if (!isObject(json)) {
    return false;
  }
  const key = [field.name, field.jsonName].find((name) => Object.hasOwn(json, name));
  return key !== undefined && isSent(json[key] ?? null, rest);
}
