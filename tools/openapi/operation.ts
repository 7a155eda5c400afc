import { type DescMessage, type DescMethod, getOption } from "@bufbuild/protobuf";
import { FieldBehavior } from "../../gen/google/api/field_behavior_pb.ts";
import { access } from "../../gen/svc/options/v1/access_pb.ts";
import { hasBehavior } from "../../src/domain/validation/field-behavior.ts";
import { readDocumentedErrors } from "./documented-errors.ts";
import type { Json, Schema } from "./load-schema.ts";
import { type MessageSchemas, nameOf, type Spelling } from "./message-schemas.ts";
import { tagOf } from "./tags.ts";

/** Source of the operations of all APIs. */
export interface OperationSource {
  readonly schema: Schema;
  readonly messages: MessageSchemas;
}

/** Describes what all operations of a method have in common. */
export function describeMethod(method: DescMethod, { schema }: OperationSource): Json {
  const comment = schema.commentOf(`${method.parent.typeName}.${method.name}`);
  const [summary = ""] = comment.split(/(?<=\.)\s/);
  const { rule } = getOption(method, access);
  const permission = rule.case === "permission" ? rule.value : undefined;
  const requirement =
    permission &&
    `Requires the permission \`${permission.name}\` on the ${permission.resourceType.replaceAll("_", " ")}.`;
  return {
    tags: [tagOf(method.parent)],
    summary: summary.replace(/\.$/, ""),
    description: [comment, requirement].filter((it) => it).join("\n\n"),
    ...(permission && {
      "x-permission": {
        name: permission.name,
        resource_type: permission.resourceType,
        ...(permission.resourceField !== "" && { resource_field: permission.resourceField }),
      },
    }),
    ...(isDeprecated(method) && { deprecated: true }),
  };
}

function isDeprecated({ deprecated, parent }: DescMethod): boolean {
  return deprecated || parent.deprecated;
}

/** Describes the responses of a method: its message, or an error in the form of its API. */
export function describeResponses(
  method: DescMethod,
  { schema, messages }: OperationSource,
  { spelling, error }: { readonly spelling: Spelling; readonly error: string },
): Json {
  const content = (it: Json) => ({ "application/json": { schema: it } });
  const any = { $ref: `#/components/schemas/${error}` };
  const documented = readDocumentedErrors(method, schema);
  const general: [number, string][] = [
    [401, "The credentials are missing or invalid."],
    ...(getOption(method, access).rule.case === "permission"
      ? ([
          [403, "`PERMISSION_DENIED`: the account lacks the permission."],
          [
            404,
            "`RESOURCE_NOT_FOUND`: the resource does not exist, or the account has no role for it.",
          ],
        ] as [number, string][])
      : []),
  ];
  const statuses = [...new Set([...documented.keys(), ...general.map(([it]) => it)])].sort();
  const errors = statuses.map((status) => {
    const reasons = documented.get(status) ?? [];
    const [, text = ""] = general.find(([it]) => it === status) ?? [];
    const list = reasons.map((it) => `\`${it}\``).join(", ");
    return [
      String(status),
      {
        description: [text, list && `Reasons: ${list}.`].filter((it) => it !== "").join(" "),
        ...(reasons.length > 0 && { "x-reasons": reasons }),
        content: content(any),
      },
    ];
  });
  return {
    "200": {
      description: schema.commentOf(method.output.typeName) || "The response.",
      content: content(messages.refTo(method.output, spelling)),
    },
    ...Object.fromEntries(errors),
    default: { description: "Any other error.", content: content(any) },
  };
}

/** Describes a message with required fields. */
export function describeRequired(
  message: DescMessage,
  spelling: Spelling,
  { messages }: OperationSource,
): Json {
  const required = message.fields
    .filter((field) => hasBehavior(field, FieldBehavior.REQUIRED))
    .map((field) => nameOf(field, spelling));
  return { ...messages.refTo(message, spelling), ...(required.length > 0 && { required }) };
}
