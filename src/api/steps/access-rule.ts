import {
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Access, access as accessOption } from "../../../gen/svc/options/v1/access_pb.ts";
import { INSTALLATION } from "../../domain/access/permissions.ts";
import { perDescriptor } from "../../domain/base/descriptors.ts";
import { PERMISSIONS } from "../../domain/kinds.ts";

/** The rule of a method's access option, which defines who may call it. */
export type AccessRule = Exclude<Access["rule"], { case: undefined }>;

/** Reads the ids of the resources that a request names, as sent. */
type ReadIds = (message: Message) => string[];

/**
 * Reads the access option of a method, once for all calls. Throws with the method's name if there is none, or if no
 * role can include its permission. Throws, too, if its resource field is neither a string nor repeated strings of the
 * request.
 */
export function readAccessRule(method: DescMethod): AccessRule {
  return compile(method).rule;
}

/** Reads the ids of the resources that a method's permission is checked on; none if the field is not set. */
export function readResourceIds(method: DescMethod, message: Message): string[] {
  return compile(method).readIds(message);
}

const compile = perDescriptor((method: DescMethod) => {
  const name = `${method.parent.typeName}/${method.name}`;
  const { rule } = getOption(method, accessOption);
  if (rule.case === undefined) throw new Error(`${name} has no access option`);
  return { rule, readIds: compileIds(rule, method.input, name) };
});

function compileIds(rule: AccessRule, input: DescMessage, method: string): ReadIds {
  if (rule.case !== "permission") return () => [];
  const { name, resourceType, resourceField } = rule.value;
  if (!PERMISSIONS.has(name))
    throw new Error(`${method} asks for the unknown permission '${name}'`);
  if (resourceType === INSTALLATION.kind) return () => [INSTALLATION.id];
  return compileStrings(input, resourceField, method);
}

/** Compiles a path of field names, such as `video_protection_ruleset.project_id`, to a reader. */
function compileStrings(root: DescMessage, path: string, method: string): ReadIds {
  const error = () => new Error(`${method} has no string field '${path}'`);
  const names = path.split(".");
  const above: DescField[] = [];
  let desc = root;
  for (const name of names.slice(0, -1)) {
    const field = desc.fields.find((it) => it.name === name);
    if (field?.fieldKind !== "message") throw error();
    above.push(field);
    desc = field.message;
  }
  const last = desc.fields.find((it) => it.name === names.at(-1));
  const isList = last?.fieldKind === "list" && last.listKind === "scalar";
  if (last === undefined || !(isList || last.fieldKind === "scalar")) throw error();
  if (last.scalar !== ScalarType.STRING) throw error();

  return (message) => {
    let holder: ReflectMessage = reflect(root, message);
    for (const field of above) {
      if (!holder.isSet(field)) return [];
      holder = holder.get(field) as ReflectMessage;
    }
    const value = holder.get(last);
    return isList ? [...(value as Iterable<string>)] : [value as string];
  };
}
