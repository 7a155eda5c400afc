import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  getOption,
  hasOption,
  ScalarType,
} from "@bufbuild/protobuf";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../../../gen/google/api/http_pb.ts";
import { ignore_query } from "../../../gen/svc/options/v1/query_pb.ts";
import { type PathTemplate, parsePathTemplate, type TemplateVariable } from "./path-template.ts";

/** A path variable and the request field that it fills. */
interface PathVariable extends TemplateVariable {
  readonly field: DescField;
}

/** The part of the request that the body fills. */
type BodyRule =
  | { readonly kind: "none" }
  | { readonly kind: "message" }
  | { readonly kind: "field"; readonly field: DescField };

/** One way to call a method over HTTP, checked against the method's request message. */
export interface Binding {
  readonly method: DescMethodUnary;
  /** In upper case. */
  readonly httpMethod: string;
  readonly template: PathTemplate;
  readonly variables: readonly PathVariable[];
  readonly body: BodyRule;
  /** True if the query is left unread. */
  readonly ignoresQuery: boolean;
}

/**
 * Reads the bindings of a method from its google.api.http option, the rule itself before its
 * additional bindings. A method without the option has none. Throws an Error with the method's full
 * name for an invalid rule.
 */
export function readBindings(method: DescMethod): Binding[] {
  if (!hasOption(method, http)) return [];
  try {
    if (!isUnary(method)) throw new Error("a streaming method cannot have an HTTP binding");
    const rule = getOption(method, http);
    if (rule.additionalBindings.some((one) => one.additionalBindings.length > 0)) {
      throw new Error("additional_bindings must not be nested");
    }
    return [rule, ...rule.additionalBindings].map((one) => toBinding(method, one));
  } catch (cause) {
    const error = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${fullName(method)}: ${error}`, { cause });
  }
}

/** Returns a method's full name, such as `svc.cda.cms.event.v1.EventService.ListEvents`. */
export function fullName(method: DescMethod): string {
  return `${method.parent.typeName}.${method.name}`;
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

function toBinding(method: DescMethodUnary, rule: HttpRule): Binding {
  const [httpMethod, path] = readPattern(rule.pattern);
  if (rule.responseBody !== "") throw new Error("response_body is not supported");
  const template = parsePathTemplate(path);
  const variables = template.variables.map((variable) => ({
    ...variable,
    field: findPathField(method.input, variable.name),
  }));
  const body = readBodyRule(method.input, rule.body);
  const ignoresQuery = getOption(method, ignore_query);
  return { method, httpMethod, template, variables, body, ignoresQuery };
}

function readPattern(pattern: HttpRule["pattern"]): [httpMethod: string, path: string] {
  if (pattern.case === undefined || pattern.case === "custom") {
    throw new Error("the rule has no path of get, put, post, delete or patch");
  }
  return [pattern.case.toUpperCase(), pattern.value];
}

function readBodyRule(input: DescMessage, body: string): BodyRule {
  switch (body) {
    case "":
      return { kind: "none" };
    case "*":
      return { kind: "message" };
    default: {
      const field = input.fields.find(({ name }) => name === body);
      if (field === undefined) {
        throw new Error(`the body field "${body}" is not a field of ${input.typeName}`);
      }
      return { kind: "field", field };
    }
  }
}

function findPathField(input: DescMessage, name: string): DescField {
  const field = input.fields.find((one) => one.name === name);
  if (field === undefined) {
    throw new Error(`the path field "${name}" is not a field of ${input.typeName}`);
  }
  if (field.fieldKind !== "scalar" || field.scalar !== ScalarType.STRING) {
    throw new Error(`the path field "${name}" is not a singular string`);
  }
  return field;
}
