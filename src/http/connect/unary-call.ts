import type { IncomingHttpHeaders } from "node:http";
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { CallResponse, CredentialHeaders, Pipeline } from "../../api/pipeline.ts";
import { authorizationOfKey } from "../../api/steps/authenticate.ts";
import { CONSISTENCY_HEADER } from "../../api/steps/consistency-token.ts";
import { isUnforeseen } from "../../api/steps/errors.ts";
import type { Caller, IncomingCall } from "../../api/steps/incoming-call.ts";
import { isManagement } from "../../domain/descriptors.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import type { Procedure } from "../dispatcher.ts";
import { toIncomingCall } from "../incoming-call.ts";
import type { Answer, Exchange, SharedState } from "../listener/exchange.ts";
import { deadlinePassed, malformedRequest, Refusal } from "../listener/refusal.ts";
import { readTimeout, type Timeout } from "./deadline.ts";
import { errorFormOf, toErrorAnswer } from "./errors.ts";
import {
  type CodecOptions,
  checkCompression,
  parseMessage,
  readMessageBytes,
} from "./read-unary.ts";
import { readForm, type UnaryForm } from "./unary-form.ts";
import { writeAnswer, writeMessage } from "./write-unary.ts";

/** A unary method, as served. */
export interface UnaryMethod {
  readonly method: DescMethod;
  /** True for a method without side effects, which may be called by GET. */
  readonly isRead: boolean;
  /** True for a read of delivery, whose responses may be cached. */
  readonly isDeliveryRead: boolean;
}

/** What unary calls depend on. */
export interface UnaryCallOptions extends CodecOptions {
  readonly pipeline: Pick<Pipeline, "authenticate" | "call">;
  /**
   * Whether a Connect POST must carry the header `connect-protocol-version: 1` (contract: delivery 2; a GET
   * needs none). Default: true.
   */
  readonly requiresProtocolVersion?: boolean;
  /** The largest request message of a service, in bytes. */
  readonly bodyLimitOf: (service: DescService) => number;
}

/** Lists the methods of services by path. */
export function listUnaryMethods(
  services: readonly DescService[],
): ReadonlyMap<string, UnaryMethod> {
  return new Map(
    services.flatMap((service) =>
      service.methods.map((method) => {
        const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
        const isDeliveryRead = isRead && !isManagement(service);
        return [`/${service.typeName}/${method.name}`, { method, isRead, isDeliveryRead }];
      }),
    ),
  );
}

/** One call of a unary method, in any protocol. */
export class UnaryCall implements Procedure {
  readonly #method: UnaryMethod;
  readonly #exchange: Exchange;
  readonly #options: UnaryCallOptions;
  readonly #timeout: Timeout;
  /** The call, once the method is called; its headers are also those of an error. */
  #incoming: IncomingCall | undefined;

  constructor(method: UnaryMethod, exchange: Exchange, options: UnaryCallOptions) {
    this.#method = method;
    this.#exchange = exchange;
    this.#options = options;
    this.#timeout = readTimeout(exchange.request);
  }

  /** True for a read of delivery that need not see more than what this process knows. */
  get isCacheable(): boolean {
    const { error, timeoutMs } = this.#timeout;
    const isBound = this.#exchange.request.headers[CONSISTENCY_HEADER] !== undefined;
    return this.#method.isDeliveryRead && !isBound && error === undefined && timeoutMs !== 0;
  }

  /** The time that the caller waits, in milliseconds; undefined: any. */
  get timeoutMs(): number | undefined {
    return this.#timeout.timeoutMs;
  }

  /** Calls the method and returns the whole response, or that of its error. */
  async answer(signal: AbortSignal): Promise<Answer> {
    const exchange = this.#exchange;
    const form = readForm(exchange);
    if (form instanceof Refusal) return toErrorAnswer(form, "connect");
    exchange.outcome.setMethod(form.protocol, exchange.path.slice(1));
    try {
      return await this.#call(form, signal);
    } catch (cause) {
      if (isUnforeseen(cause)) throw cause;
      return toErrorAnswer(cause, errorFormOf(exchange.request), this.#incoming);
    }
  }

  /** Authenticates the caller, reads the message, calls the method and writes what it returns. */
  async #call(form: UnaryForm, signal: AbortSignal): Promise<Answer> {
    const exchange = this.#exchange;
    const { method, isRead } = this.#method;
    const { pipeline, bodyLimitOf, registry, requiresProtocolVersion = true } = this.#options;
    const { timeoutMs, error } = this.#timeout;
    const json = { ...(registry && { registry }) };
    const headers = toCredentialHeaders(exchange.request.headers, form.query?.keys);
    const caller = await pipeline.authenticate(method, headers, exchange.now);
    if (requiresProtocolVersion) checkVersion(exchange, form);
    checkCompression(exchange, form);
    if (error !== undefined) throw malformedRequest("REQUEST_MALFORMED", error.rawMessage);
    if (timeoutMs === 0) throw deadlinePassed();
    const bytes = await readMessageBytes(exchange, form, bodyLimitOf(method.parent));
    const message = parseMessage(method, form, bytes, json);
    const incoming = toIncomingCall(exchange, method, signal);
    this.#incoming = incoming;
    const response = await pipeline.call(incoming, caller, message);
    const answer = await writeAnswer(exchange.request, form, {
      headers: response.headers,
      trailers: incoming.responseTrailers,
      message: writeMessage(method.output, response.message, form.codec, json),
      isTagged: isRead,
    });
    return isRead ? { ...answer, shared: findSharedState(caller, response) } : answer;
  }
}

/** Returns the state that a public response shows: that of the project of a public key; undefined if it is unknown. */
function findSharedState(
  caller: Caller,
  { headers, memorySeconds }: CallResponse,
): SharedState | undefined {
  if (caller.kind !== "project" || caller.viewer !== undefined) return undefined;
  const { kind, projectId, revision } = caller.key;
  const isPublic = kind === "public" && headers["cache-control"]?.startsWith("public") === true;
  if (!isPublic || revision === undefined) return undefined;
  return { projectId, revision, seconds: memorySeconds };
}

/** Puts a public key in the URL in the place of the Authorization header. */
function toCredentialHeaders(
  headers: IncomingHttpHeaders,
  keys: readonly string[] | undefined,
): CredentialHeaders {
  if (keys === undefined) return headers;
  return { ...headers, authorization: authorizationOfKey(keys, headers.authorization) };
}

function checkVersion({ request, method }: Exchange, { protocol }: UnaryForm): void {
  if (protocol !== "connect" || method !== "POST") return;
  if (request.headers["connect-protocol-version"] === "1") return;
  throw new DomainError(
    Code.INVALID_ARGUMENT,
    "CONNECT_PROTOCOL_VERSION_REQUIRED",
    "a POST must carry the header connect-protocol-version: 1",
  );
}
