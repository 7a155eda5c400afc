import type { HandlerContext } from "@connectrpc/connect";
import type { Logger } from "pino";
import { Code, DomainError } from "../domain/errors.ts";
import { readAccessRule } from "./access-rule.ts";
import { callerKey, getRequest } from "./caller.ts";
import { authenticate, type CredentialSources } from "./credentials.ts";
import { isUnforeseen, toConnectError } from "./errors.ts";
import { markPersonal } from "./freshness.ts";

/** Lets a call in before its body is read, or throws the error that it is answered with. */
export type Gate = (context: HandlerContext) => Promise<void>;

/**
 * Creates the gate of all `svc.` methods: credentials by the method's access option, and on a
 * Connect POST the header `connect-protocol-version: 1` (SPEC Versioning 3; a GET needs none).
 */
export function createGate(sources: CredentialSources, log: Logger): Gate {
  return async (context) => {
    const { method, values, requestHeader } = context;
    const { now, requestId } = getRequest(values);
    const rule = readAccessRule(method);
    try {
      const caller = await authenticate(sources, rule, requestHeader.get("authorization"), now);
      values.set(callerKey, caller);
      // What is answered to a viewer is kept for nobody.
      if (caller.kind === "project" && caller.viewer !== undefined) markPersonal(values);
      checkProtocolVersion(context);
    } catch (cause) {
      if (isUnforeseen(cause)) log.error({ err: cause, request_id: requestId }, "gate failed");
      throw toConnectError(cause);
    }
  };
}

function checkProtocolVersion({
  protocolName,
  requestMethod,
  requestHeader,
}: HandlerContext): void {
  if (protocolName !== "connect" || requestMethod !== "POST") return;
  if (requestHeader.get("connect-protocol-version") === "1") return;
  throw new DomainError(
    Code.INVALID_ARGUMENT,
    "CONNECT_PROTOCOL_VERSION_REQUIRED",
    "a POST must carry the header connect-protocol-version: 1",
  );
}
