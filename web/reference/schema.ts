import { type Document, resolve, type Schema } from "../openapi.ts";
import { type Content, h } from "./element.ts";
import { drawProse } from "./prose.ts";

/** Draws the fields of an object; the fields of a field are drawn when it is opened, because messages contain themselves. */
export function drawFields(schema: Schema, document: Document): HTMLElement {
  const { properties = {}, required = [], description = "" } = resolve(schema, document);
  const fields = Object.entries(properties).map(([name, field]) =>
    h(
      "li",
      {},
      h("code", { className: field.deprecated ? "deprecated" : "" }, name),
      h("span", { className: "type" }, ` ${nameType(field, document)}`),
      required.includes(name) ? h("span", { className: "required" }, " required") : undefined,
      field.readOnly ? h("span", { className: "type" }, " read only") : undefined,
      drawProse(field.description ?? ""),
      drawInner(field, document),
    ),
  );
  if (fields.length === 0) return h("div", { className: "fields" }, drawProse(description));
  return h("ul", { className: "fields" }, ...fields);
}

function drawInner(field: Schema, document: Document): Content {
  const inner = findObject(field, document);
  if (inner === undefined) return undefined;
  const details = h("details", {}, h("summary", {}, "Fields"));
  details.addEventListener("toggle", () => details.append(drawFields(inner, document)), {
    once: true,
  });
  return details;
}

/** Finds the object with fields in a field: the field itself, the elements of its list or the values of its map. */
function findObject(field: Schema, document: Document): Schema | undefined {
  const { properties, items, additionalProperties, anyOf } = resolve(field, document);
  if (properties !== undefined) return field;
  if (items !== undefined) return findObject(items, document);
  if (typeof additionalProperties === "object") return findObject(additionalProperties, document);
  return anyOf?.map((it) => findObject(it, document)).find((it) => it !== undefined);
}

/** Names the type of a field, such as `list of string`. */
function nameType(field: Schema, document: Document): string {
  const {
    type,
    format,
    items,
    additionalProperties,
    anyOf,
    enum: values,
  } = resolve(field, document);
  if (values !== undefined) return values.join(" | ");
  if (anyOf?.[0] !== undefined) return nameType(anyOf[0], document);
  if (items !== undefined) return `list of ${nameType(items, document)}`;
  if (typeof additionalProperties === "object" && additionalProperties.type !== undefined) {
    return `map of ${nameType(additionalProperties, document)}`;
  }
  return format ?? type ?? "any";
}
