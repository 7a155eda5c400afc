import { type DescField, type DescMessage, type DescMethod, getOption } from "@bufbuild/protobuf";
import { type Access, access as accessOption } from "../../gen/svc/options/v1/access_pb.ts";
import { INSTALLATION } from "../domain/access/permissions.ts";
import { PERMISSIONS } from "../domain/access/roles.ts";

/** Who may call a method: the one rule of its access option. */
export type AccessRule = Exclude<Access["rule"], { case: undefined }>;

const RULES = new WeakMap<DescMethod, AccessRule>();

/**
 * Reads the access option of a method, once for all calls. Throws if there is none, if its permission is one that no role
 * can hold, or if its resource field does not exist: such a method must not start.
 */
export function readAccessRule(method: DescMethod): AccessRule {
  const known = RULES.get(method);
  if (known !== undefined) return known;
  const rule = checkAccessRule(method);
  RULES.set(method, rule);
  return rule;
}

function checkAccessRule(method: DescMethod): AccessRule {
  const name = `${method.parent.typeName}/${method.name}`;
  const { rule } = getOption(method, accessOption);
  if (rule.case === undefined) throw new Error(`${name} has no access option`);
  if (rule.case === "permission") {
    if (!PERMISSIONS.has(rule.value.name)) {
      throw new Error(`${name} asks for the unknown permission '${rule.value.name}'`);
    }
    if (rule.value.resourceType !== INSTALLATION.type) {
      checkFieldPath(method.input, rule.value.resourceField, name);
    }
  }
  return rule;
}

function checkFieldPath(root: DescMessage, path: string, method: string): void {
  let message: DescMessage | undefined = root;
  for (const name of path.split(".")) {
    const field: DescField | undefined = message?.fields.find((it) => it.name === name);
    if (field === undefined) throw new Error(`${method} has no field '${path}'`);
    message = field.fieldKind === "message" ? field.message : undefined;
  }
}
