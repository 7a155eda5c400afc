import { type DescField, type DescMessage, getOption, type Message } from "@bufbuild/protobuf";
import { FieldBehavior } from "../../gen/google/api/field_behavior_pb.ts";
import { reference } from "../../gen/svc/options/v1/reference_pb.ts";
import type { AnnotationType } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import type { PageComponent } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { perDescriptor, readPath } from "./base/descriptors.ts";
import type { DomainError } from "./base/errors.ts";
import { invalidField } from "./base/field-errors.ts";
import { clip } from "./base/text.ts";
import type { Warning } from "./base/warnings.ts";
import { findMirroredId, REFERENCE_PATH, readOfferIds } from "./pages/rendering/reference.ts";
import { hasBehavior } from "./validation/field-behavior.ts";

/** A resource by its type and id. */
export interface ResourceName {
  readonly kind: string;
  readonly id: string;
}

/** A reference to a resource of the same project. */
export interface Reference extends ResourceName {
  /** The path of the id in the resource that contains it: `type_id`, `entity_ids[2]`. */
  readonly field: string;
}

/** A field that names a resource of its project, or several, by id. */
interface ReferenceField {
  /** The kind of the resource. */
  readonly kind: string;
  /** Its path in the resource, such as `target.entity_ids`. */
  readonly path: string;
  /** The fields on the way to it, itself the last. */
  readonly fields: readonly DescField[];
}

/**
 * Lists the fields of a resource that name others of its project (`svc.options.v1.reference`), without those that the
 * server sets. A field that names several kinds is omitted: its ids do not say which.
 */
export const listReferenceFields = perDescriptor((schema: DescMessage): readonly ReferenceField[] =>
  schema.fields.flatMap((field): readonly ReferenceField[] => {
    if (hasBehavior(field, FieldBehavior.OUTPUT_ONLY)) return [];
    const [kind, other] = getOption(field, reference);
    if (kind !== undefined) return other ? [] : [{ kind, path: field.name, fields: [field] }];
    if (field.fieldKind !== "message") return [];
    return listReferenceFields(field.message).map(({ kind, path, fields }) => ({
      kind,
      path: `${field.name}.${path}`,
      fields: [field, ...fields],
    }));
  }),
);

/** Lists the resources that the fields of a resource name. An id with a variable names none. */
export function listFieldReferences(schema: DescMessage, message: Message): Reference[] {
  return listReferenceFields(schema).flatMap(({ kind, path, fields }) => {
    const ids = readPath(message, fields) as string | readonly string[] | undefined;
    return listIds(kind, path, ids ?? []);
  });
}

/** Lists the actions that an annotation type runs: the keys of a map. */
export function listAnnotationTypeReferences({ actionConfiguration }: AnnotationType): Reference[] {
  const ids = Object.keys(actionConfiguration?.configuration ?? {});
  const path = "action_configuration.configuration";
  return ids.flatMap((id) => listIds("action", `${path}.${id}`, id));
}

/** Lists the offers of the cards of a page component, and the component that it mirrors. */
export function listPageComponentMentions(component: PageComponent): Reference[] {
  const { data } = component;
  const offers = data.case === "offers" ? readOfferIds(data.value) : [];
  return [
    ...offers.flatMap((id) => listIds("offer", "offers.offer", id)),
    ...listIds("page_component", REFERENCE_PATH, findMirroredId(component) ?? ""),
  ];
}

/** Lists the references of some ids, each once. An empty one and one with a variable name nothing. */
function listIds(kind: string, field: string, ids: string | readonly string[]): Reference[] {
  const references = new Map<string, Reference>();
  for (const [index, id] of (typeof ids === "string" ? [ids] : ids).entries()) {
    if (id === "" || /[{}]/.test(id) || references.has(id)) continue;
    references.set(id, { kind, id, field: typeof ids === "string" ? field : `${field}[${index}]` });
  }
  return [...references.values()];
}

/** Creates the warning of a reference to a resource that the project lacks. */
export function warnOfMissing({ kind, id, field }: Reference): Warning {
  const name = kind.replaceAll("_", " ");
  const message = `${field}: the project has no ${name} '${clip(id)}'; create it, or correct the id`;
  return { code: "REFERENCE_MISSING", fields: [field], message };
}

/** Creates the INVALID_ARGUMENT `REFERENCE_NOT_FOUND` for a reference to a missing resource. */
export function referenceNotFound({ kind, id, field }: Reference, path: string): DomainError {
  const name = kind.replaceAll("_", " ");
  return invalidField(
    `${path}.${field}`,
    "REFERENCE_NOT_FOUND",
    `the project has no ${name} '${clip(id)}'; create it first`,
  );
}
