import { clone } from "@bufbuild/protobuf";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { runAll } from "../../../src/domain/base/steps.ts";
import { getDataMember } from "../../../src/domain/pages/components/data-member.ts";
import {
  TextTemplates,
  type UnresolvedField,
} from "../../../src/domain/variables/message-texts.ts";
import type { Scope } from "../../../src/domain/variables/text-template.ts";

export {
  createScope,
  type PageObject,
  type ResolvedText,
  resolveText,
  type Scope,
  type ScopeParts,
} from "../../../src/domain/variables/text-template.ts";

/** A component without variables, or the field and the variable that cause it to be dropped. */
export type ResolvedComponent =
  | { readonly kind: "resolved"; readonly component: PageComponent }
  | UnresolvedField;

/**
 * Returns a copy of a component with the variables in its texts and filters resolved (contract: variables 2). Clauses
 * of additional filters keep their placeholders for the session. A value that makes a filter too large counts as
 * missing. A lone surrogate becomes U+FFFD, because a message cannot contain it. Throws `VARIABLE_MALFORMED`,
 * `KQL_SYNTAX` or `KQL_LIMIT` for a template that `checkTexts` rejects; the error names the field like
 * `dropped.field`.
 */
export function resolveComponent(component: PageComponent, scope: Scope): ResolvedComponent {
  const copy = clone(PageComponentSchema, component);
  const member = getDataMember(copy);
  const unresolved =
    member && runAll(new TextTemplates(member.schema, member.name).resolve(member.value, scope));
  return unresolved ?? { kind: "resolved", component: copy };
}
