import type { DescService } from "@bufbuild/protobuf";
import {
  createServiceImplSpec,
  type MethodImplSpec,
  type ServiceImpl,
  type ServiceImplSpec,
} from "@connectrpc/connect";
import { readAccessRule } from "./steps/access-rule.ts";
import { findPart } from "./steps/call.ts";
import { findWriteFields } from "./steps/write-fields.ts";

/**
 * Combines a service with its handlers. Throws with the method's name if a method has no valid access
 * option, or if one that writes lacks the fields of a write.
 */
export function implement<Desc extends DescService>(
  service: Desc,
  implementation: ServiceImpl<Desc>,
): ServiceImplSpec {
  for (const method of service.methods) {
    readAccessRule(method);
    findWriteFields(method);
  }
  const { methods } = createServiceImplSpec(service, implementation);
  return {
    service,
    methods: Object.fromEntries(
      Object.entries(methods).map(([name, method]) => [name, answerRepeat(method)]),
    ),
  };
}

/**
 * Makes a method return the first answer to a repeated call instead of calling its handler. The interceptor
 * that finds the answer cannot return it: only the headers set by a handler are sent by every protocol.
 */
function answerRepeat(method: MethodImplSpec): MethodImplSpec {
  if (method.kind !== "unary") return method;
  const impl: typeof method.impl = (request, context) => {
    const answer = findPart(context.values, "repeated");
    if (answer === undefined) return method.impl(request, context);
    for (const [name, value] of answer.headers) context.responseHeader.set(name, value);
    return answer.message;
  };
  return { ...method, impl };
}
