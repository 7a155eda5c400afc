import { clone, getOption } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { TextKind, text as textOption } from "../../../gen/svc/options/v1/text_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { substituteKqlText } from "../kql/index.ts";
import { getDataMember } from "../page-component/data-member.ts";
import { type ResolvedText, resolveText } from "./resolve-text.ts";
import type { Scope } from "./scope.ts";

/** A component free of variables, or the field and the variable for which it is left out. */
export type ResolvedComponent =
  | { readonly kind: "resolved"; readonly component: PageComponent }
  | {
      readonly kind: "dropped";
      /** The proto path of the field, such as `rail.filter`. */
      readonly field: string;
      /** The variable's path without braces, such as `event.fields.season.id`. */
      readonly variable: string;
      readonly reason: "VARIABLE_UNRESOLVED";
    };

type Resolve = (template: string, scope: Scope) => ResolvedText;

const RESOLVE_BY_KIND: ReadonlyMap<TextKind, Resolve> = new Map([
  [TextKind.VARIABLES, resolveText],
  [TextKind.KQL, resolveKqlText],
]);

/**
 * Answers a copy of a component whose texts and filters have values in the places of their variables
 * (SPEC Variables); clauses of additional filters keep their placeholders, which are the session's.
 * A value that makes a filter too large counts as none; a lone surrogate becomes U+FFFD, as a
 * message holds no such text. Throws `VARIABLE_MALFORMED`, `KQL_SYNTAX` or `KQL_LIMIT` for a
 * template that `checkTexts` refuses.
 */
export function resolveComponent(component: PageComponent, scope: Scope): ResolvedComponent {
  const copy = clone(PageComponentSchema, component);
  const member = getDataMember(copy);
  if (member === undefined) return { kind: "resolved", component: copy };
  const view = reflect(member.schema, member.value);
  for (const field of view.fields) {
    const resolve = RESOLVE_BY_KIND.get(getOption(field, textOption));
    if (resolve === undefined || !view.isSet(field)) continue;
    const resolved = resolve(String(view.get(field)), scope);
    if (resolved.kind === "unresolved") {
      const { variable } = resolved;
      const path = `${member.name}.${field.name}`;
      return { kind: "dropped", field: path, variable, reason: "VARIABLE_UNRESOLVED" };
    }
    view.set(field, resolved.text.toWellFormed());
  }
  return { kind: "resolved", component: copy };
}

function resolveKqlText(template: string, scope: Scope): ResolvedText {
  const filled = substituteKqlText(template, scope);
  return filled.kind === "failed"
    ? { kind: "unresolved", variable: filled.placeholder }
    : { kind: "resolved", text: filled.text };
}
