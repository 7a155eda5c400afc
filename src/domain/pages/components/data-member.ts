import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Code, DomainError, invalidField } from "../../errors.ts";

/** The legacy name that the type `rail` may also have (SPEC Versioning 4). */
export const RAIL_ALIAS = "content_carousel";

type MessageField = DescField & { fieldKind: "message" };

const MEMBERS: ReadonlyMap<string, MessageField> = new Map(
  (PageComponentSchema.oneofs[0]?.fields ?? []).map((field) => [
    field.localName,
    field as MessageField,
  ]),
);

/** The names of the nineteen data members, as in the contract. */
export const DATA_MEMBERS: readonly string[] = Array.from(MEMBERS.values(), (it) => it.name);

/** The data member that is set on a component. */
export interface DataMember {
  /** Its name in the contract, such as `banner_collection_v2`. */
  readonly name: string;
  readonly schema: DescMessage;
  readonly value: Message;
}

/** Gets the data member that is set, if any. */
export function getDataMember(component: PageComponent): DataMember | undefined {
  const field = component.data.case && MEMBERS.get(component.data.case);
  if (!field) return undefined;
  const { message } = reflect(PageComponentSchema, component).get(field);
  return { name: field.name, schema: field.message, value: message };
}

/**
 * Checks that exactly one data member is set and that `type` is its name (SPEC PageComponent `type`).
 * INVALID_ARGUMENT `DATA_MEMBER_REQUIRED` at `field`, the component's name in the request, or
 * `TYPE_MISMATCH` below it.
 */
export function requireDataMember(component: PageComponent, field: string): DataMember {
  const member = getDataMember(component);
  if (member === undefined) {
    throw new DomainError(
      Code.INVALID_ARGUMENT,
      "DATA_MEMBER_REQUIRED",
      "a page component has exactly one data member; it cannot be cleared, only switched",
      { fields: [{ field, description: "no data member would be set" }] },
    );
  }
  const isAlias = member.name === "rail" && component.type === RAIL_ALIAS;
  if (component.type !== member.name && !isAlias) {
    throw invalidField(
      `${field}.type`,
      "TYPE_MISMATCH",
      `it would be '${component.type}' while the data member is '${member.name}'; set it to '${member.name}', and in an update put 'type' in update_mask too`,
    );
  }
  return member;
}

/** Checks that a mask names one data member at most. INVALID_ARGUMENT `ONEOF_CONFLICT`. */
export function checkSingleMember(mask: readonly string[]): void {
  const named = mask.filter((name) => DATA_MEMBERS.includes(name));
  if (named.length <= 1) return;
  throw invalidField(
    "update_mask",
    "ONEOF_CONFLICT",
    `it names the data members ${named.join(" and ")}; at most one may be set`,
  );
}
