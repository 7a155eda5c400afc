import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Code, DomainError } from "../../base/errors.ts";
import { checkField, invalidField } from "../../base/field-errors.ts";
import { clip } from "../../base/text.ts";

/** The legacy alias of the type `rail` (contract: service 9). */
export const RAIL_ALIAS = "content_carousel";

type MessageField = DescField & { fieldKind: "message" };

const MEMBERS: ReadonlyMap<string, MessageField> = new Map(
  (PageComponentSchema.oneofs[0]?.fields ?? []).map((field) => [
    field.localName,
    field as MessageField,
  ]),
);

/** The proto names of the data members. */
export const DATA_MEMBERS: readonly string[] = Array.from(MEMBERS.values(), (it) => it.name);

interface DataMember {
  /** Its proto name, such as `banner_collection_v2`. */
  readonly name: string;
  readonly schema: DescMessage;
  readonly value: Message;
}

/** Returns the data member of a component; undefined if none is set. */
export function getDataMember(component: PageComponent): DataMember | undefined {
  const field = component.data.case && MEMBERS.get(component.data.case);
  if (!field) return undefined;
  const { message } = reflect(PageComponentSchema, component).get(field);
  return { name: field.name, schema: field.message, value: message };
}

/**
 * Returns the data member of a component and checks that `type` is its name (contract: page-components 2).
 * INVALID_ARGUMENT `DATA_MEMBER_REQUIRED` at `field`, the component's field in the request, or
 * `TYPE_MISMATCH` below it.
 */
export function requireDataMember(component: PageComponent, field: string): DataMember {
  const member = getDataMember(component);
  if (member === undefined) {
    throw new DomainError(
      Code.INVALID_ARGUMENT,
      "DATA_MEMBER_REQUIRED",
      `a page component must have exactly one data member: ${DATA_MEMBERS.join(", ")}; to change it, set another one`,
      { fields: [{ field, description: "must have a data member" }] },
    );
  }
  const isAlias = member.name === "rail" && component.type === RAIL_ALIAS;
  if (component.type === member.name || isAlias) return member;
  const description = `'${clip(component.type)}' must be '${member.name}', the name of the data member; in an update, put 'type' in update_mask too`;
  throw invalidField(`${field}.type`, "TYPE_MISMATCH", description);
}

/** Checks that a mask names at most one data member. INVALID_ARGUMENT `ONEOF_CONFLICT`. */
export function checkSingleMember(mask: readonly string[], path = "update_mask"): void {
  const named = mask.filter((name) => DATA_MEMBERS.includes(name));
  const description = `must name at most one data member, not ${named.join(" and ")}`;
  checkField(named.length <= 1, path, "ONEOF_CONFLICT", description);
}
