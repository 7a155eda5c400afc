import type { DescService } from "@bufbuild/protobuf";
import { createServiceImplSpec, type ServiceImpl, type ServiceImplSpec } from "@connectrpc/connect";
import { readAccessRule } from "../call/access-rule.ts";
import { answerRepeats } from "./repeated-answers.ts";

/** Puts a service together with its handlers; a method without an access option throws. */
export function implement<Desc extends DescService>(
  service: Desc,
  implementation: ServiceImpl<Desc>,
): ServiceImplSpec {
  for (const method of service.methods) readAccessRule(method);
  return answerRepeats(createServiceImplSpec(service, implementation));
}
