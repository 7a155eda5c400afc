import {
  clone,
  type DescField,
  type DescMessage,
  type JsonObject,
  type Message,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { TextKind } from "../../../gen/svc/options/v1/text_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { blameField } from "../errors.ts";
import { substituteKqlText } from "../kql/index.ts";
import { readField } from "../messages/field-value.ts";
import { listTextFields } from "../messages/text-fields.ts";
import { getDataMember } from "../pages/components/data-member.ts";
import { type JsonText, listJsonTexts } from "./json-texts.ts";
import { type ResolvedText, resolveFreeText, resolveText } from "./resolve-text.ts";
import type { Scope } from "./scope.ts";

/** A component without variables, or the field and the variable for which it is dropped. */
export type ResolvedComponent =
  | { readonly kind: "resolved"; readonly component: PageComponent }
  | UnresolvedField;

/** A field with a variable that has no value. */
export interface UnresolvedField {
  readonly kind: "dropped";
  /** The proto path of the field, such as `rail.filter`; in a query, that of the string. */
  readonly field: string;
  /** The variable's path without braces, such as `event.fields.season.id`. */
  readonly variable: string;
  readonly reason: "VARIABLE_UNRESOLVED";
}

/**
 * Returns a copy of a component with the variables in its texts and filters resolved (contract: variables 2);
 * clauses of additional filters keep their placeholders for the session. A value that makes a filter too
 * large counts as missing; a lone surrogate becomes U+FFFD, as a message cannot hold it. Throws
 * `VARIABLE_MALFORMED`, `KQL_SYNTAX` or `KQL_LIMIT` for a template that `checkTexts` rejects; the error
 * names the field as `dropped.field` does.
 */
export function resolveComponent(component: PageComponent, scope: Scope): ResolvedComponent {
  const copy = clone(PageComponentSchema, component);
  const member = getDataMember(copy);
  const unresolved = member && resolveTexts(member.schema, member.value, scope, member.name);
  return unresolved ?? { kind: "resolved", component: copy };
}

/**
 * Resolves the variables in the texts and filters of a message, in place; returns the first field with a
 * missing value. `path` is the path of the message. Throws like {@link resolveComponent}.
 */
export function resolveTexts(
  schema: DescMessage,
  message: Message,
  scope: Scope,
  path: string,
): UnresolvedField | undefined {
  const fields = listTextFields(schema);
  if (fields.length === 0) return undefined;
  const view = reflect(schema, message);
  for (const { field, kind } of fields) {
    if (!isResolved(kind) || !view.isSet(field)) continue;
    const fieldPath = `${path}.${field.name}`;
    const texts =
      kind === TextKind.QUERY
        ? listJsonTexts(readField(message, field) as JsonObject, fieldPath).map(toFreeText)
        : [toText(view, field, kind, fieldPath)];
    for (const { path: textPath, text, resolve, replace } of texts) {
      const resolved = blameField(textPath, () => resolve(text, scope));
      if (resolved.kind === "unresolved") {
        const { variable } = resolved;
        return { kind: "dropped", field: textPath, variable, reason: "VARIABLE_UNRESOLVED" };
      }
      replace(resolved.text.toWellFormed());
    }
  }
  return undefined;
}

type Resolve = (template: string, scope: Scope) => ResolvedText;

/** A text with variables, and the function that resolves them. */
interface Text {
  readonly path: string;
  readonly text: string;
  readonly resolve: Resolve;
  readonly replace: (text: string) => void;
}

function toFreeText(text: JsonText): Text {
  return { ...text, resolve: text.isKql ? resolveKqlText : resolveFreeText };
}

function toText(
  view: ReflectMessage,
  field: DescField,
  kind: Exclude<ResolvedKind, typeof TextKind.QUERY>,
  path: string,
): Text {
  return {
    path,
    text: String(view.get(field)),
    resolve: kind === TextKind.KQL ? resolveKqlText : resolveText,
    replace: (text) => view.set(field, text),
  };
}

type ResolvedKind = typeof TextKind.VARIABLES | typeof TextKind.KQL | typeof TextKind.QUERY;

function isResolved(kind: TextKind): kind is ResolvedKind {
  return kind === TextKind.VARIABLES || kind === TextKind.KQL || kind === TextKind.QUERY;
}

function resolveKqlText(template: string, scope: Scope): ResolvedText {
  const filled = substituteKqlText(template, scope);
  return filled.kind === "failed"
    ? { kind: "unresolved", variable: filled.placeholder }
    : { kind: "resolved", text: filled.text };
}
