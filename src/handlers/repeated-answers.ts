import type { MethodImplSpec, ServiceImplSpec } from "@connectrpc/connect";
import { repeatedKey } from "../call/call-store.ts";

/**
 * Makes a service give the first answer to a repeated call in the place of its handlers. It is given here
 * and not by the interceptor that finds it, because only a handler keeps what each protocol puts into
 * the header of an answer.
 */
export function answerRepeats({ service, methods }: ServiceImplSpec): ServiceImplSpec {
  return {
    service,
    methods: Object.fromEntries(
      Object.entries(methods).map(([name, method]) => [name, answerRepeat(method)]),
    ),
  };
}

function answerRepeat(method: MethodImplSpec): MethodImplSpec {
  if (method.kind !== "unary") return method;
  const impl: typeof method.impl = (request, context) => {
    const answer = context.values.get(repeatedKey);
    if (answer === undefined) return method.impl(request, context);
    for (const [name, value] of answer.headers) context.responseHeader.set(name, value);
    return answer.message;
  };
  return { ...method, impl };
}
