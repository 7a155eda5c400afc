import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ServiceImplSpec } from "@connectrpc/connect";
import type { CallResponse, Pipeline } from "../../api/pipeline.ts";
import { authorizationOfKey, type CredentialHeaders } from "../../api/steps/authenticate.ts";
import { isUnforeseen } from "../../api/steps/errors.ts";
import type { Caller, IncomingCall } from "../../api/steps/incoming-call.ts";
import { isStudioService } from "../../domain/base/descriptors.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { listNearNames } from "../../domain/base/text.ts";
import { printWarnings, type Warning } from "../../domain/base/warnings.ts";
import type { Procedure, ProcedureInterface } from "../dispatcher.ts";
import { isPreflight, preflightHeaders } from "../listener/cors.ts";
import type { Exchange, HttpResponse, NodeRequest, SharedState } from "../listener/exchange.ts";
import { HTTP_LIMITS } from "../listener/limits.ts";
import { httpError, Rejection } from "../listener/rejection.ts";
import { printState, STATE_HEADER } from "../wait-request.ts";
import { errorFormOf, protocolOf, toErrorResponse } from "./errors.ts";
import { GrpcServices, type StreamSlots } from "./grpc-services.ts";
import {
  type CodecOptions,
  checkCompression,
  checkTimeout,
  parseMessage,
  readForm,
  readMessageBytes,
  readTimeout,
  type Timeout,
  type UnaryForm,
} from "./read-unary.ts";
import { writeMessage, writeResponse } from "./write-unary.ts";

/** The services of one listener and the limits of calls. */
export interface ConnectInterfaceOptions extends CodecOptions {
  readonly services: readonly DescService[];
  /** The services of gRPC itself, such as health, which need no credentials. Default: none. */
  readonly openServices?: readonly ServiceImplSpec[];
  readonly pipeline: Pick<Pipeline, "authenticate" | "begin" | "call">;
  /** The slots of all streaming calls of this process. */
  readonly slots: StreamSlots;
  /**
   * Whether a Connect POST must carry the header `connect-protocol-version: 1` (contract: delivery 2; a GET
   * needs none). Default: true.
   */
  readonly requiresProtocolVersion?: boolean;
  /** The largest request message, in bytes; default: the limit of its API. */
  readonly bodyLimit?: number;
}

/** A unary method, as served. */
interface UnaryMethod {
  readonly method: DescMethod;
  /** True for a method without side effects, which may be called by GET. */
  readonly isRead: boolean;
  /** True for a method of the Studio API. */
  readonly isStudio: boolean;
  /** True if the sessions of browsers count. */
  readonly takesSessions: boolean;
}

/** Serves the procedures of one listener over Connect, gRPC and gRPC-Web. */
export class ConnectInterface implements ProcedureInterface {
  /** The paths of the reads of delivery. */
  readonly cacheablePaths: ReadonlySet<string>;
  readonly #options: ConnectInterfaceOptions;
  readonly #methods: ReadonlyMap<string, UnaryMethod>;
  readonly #grpc: GrpcServices;

  constructor(options: ConnectInterfaceOptions) {
    this.#options = options;
    // Where nothing else of the Studio API is served, its sessions do not count.
    const takesSessions = options.services.some(isStudioService);
    this.#methods = new Map(
      options.services.flatMap((service) => {
        const isStudio = isStudioService(service);
        return service.methods.map((method) => {
          const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
          return [
            `/${service.typeName}/${method.name}`,
            { method, isRead, isStudio, takesSessions },
          ] as const;
        });
      }),
    );
    this.cacheablePaths = new Set(
      [...this.#methods]
        .filter(([, { isRead, isStudio }]) => isRead && !isStudio)
        .map(([path]) => path),
    );
    this.#grpc = new GrpcServices(options.openServices ?? [], options.slots);
  }

  /** Returns the call that a request makes; undefined for an unknown procedure. */
  find(exchange: Exchange): Procedure | undefined {
    const { path, method } = exchange;
    const unary = this.#methods.get(path);
    const call =
      unary === undefined
        ? this.#grpc.find(exchange)
        : new UnaryCall(unary, exchange, this.#options);
    const allowed = unary?.isRead ? READ_METHODS : CALL_METHODS;
    if (call === undefined || allowed.includes(method)) return call;
    return { call: async () => rejectMethod(exchange, allowed) };
  }

  /**
   * Returns the path of the method whose name is nearest, in the service itself or one of its name. Undefined if none is
   * near, or the path is of an API that is not served.
   */
  suggest(path: string): string | undefined {
    const [, typeName = "", name = ""] = path.split("/");
    const service = typeName.slice(typeName.lastIndexOf(".") + 1);
    const [api] = /^svc\.(cda|studio)\./.exec(typeName) ?? [];
    const methods = [...this.#methods.values()].map(({ method }) => method);
    if (api && !methods.some(({ parent }) => parent.typeName.startsWith(api))) return undefined;
    const known = methods
      .filter(({ parent }) => parent.name === service)
      .sort(
        (a, b) =>
          countShared(b.parent.typeName, typeName) - countShared(a.parent.typeName, typeName),
      );
    const [near] = listNearNames(
      name,
      known.map((it) => it.name),
    );
    const method = known.find((it) => it.name === near);
    return method && `/${method.parent.typeName}/${method.name}`;
  }

  /** Returns the response to an error in the form that the caller expects. */
  toErrorResponse(cause: unknown, { request }: Exchange): HttpResponse {
    return toErrorResponse(cause, errorFormOf(request));
  }

  /** Returns the protocol of a request by its content type. */
  protocolOf(request: NodeRequest) {
    return protocolOf(request);
  }
}

/** Counts the characters that two texts begin with. */
function countShared(a: string, b: string): number {
  let count = 0;
  while (count < a.length && a[count] === b[count]) count += 1;
  return count;
}

const READ_METHODS: readonly string[] = ["GET", "HEAD", "POST"];
const CALL_METHODS: readonly string[] = ["POST"];

/** Responds to a preflight, or rejects an HTTP method that is not allowed. */
function rejectMethod(exchange: Exchange, allowed: readonly string[]): HttpResponse {
  return isPreflight(exchange)
    ? { status: 204, headers: preflightHeaders(allowed), body: new Uint8Array() }
    : toErrorResponse(httpError.methodNotAllowed(allowed), "connect");
}

/** One call of a unary method, in any protocol. */
class UnaryCall implements Procedure {
  readonly #method: UnaryMethod;
  readonly #exchange: Exchange;
  readonly #options: ConnectInterfaceOptions;
  readonly #timeout: Timeout;
  /** The call, once the method is called; an error has its headers, too. */
  #incoming: IncomingCall | undefined;

  constructor(method: UnaryMethod, exchange: Exchange, options: ConnectInterfaceOptions) {
    const { headers } = exchange.request;
    const isTimed =
      headers["connect-timeout-ms"] !== undefined || headers["grpc-timeout"] !== undefined;
    this.#method = method;
    this.#exchange = exchange;
    this.#options = options;
    this.#timeout = isTimed ? readTimeout(exchange.request) : {};
  }

  /** The time that the caller waits, in milliseconds; undefined: any. */
  get timeoutMs(): number | undefined {
    return this.#timeout.timeoutMs;
  }

  /** Calls the method and returns the whole response, or the response to its error. */
  async call(signal: AbortSignal): Promise<HttpResponse> {
    const exchange = this.#exchange;
    const form = readForm(exchange);
    if (form instanceof Rejection) return toErrorResponse(form, "connect");
    exchange.setMethod(form.protocol, exchange.path.slice(1));
    try {
      return await this.#call(form, signal);
    } catch (cause) {
      if (isUnforeseen(cause)) throw cause;
      return toErrorResponse(cause, errorFormOf(exchange.request), this.#incoming);
    }
  }

  /** Returns the headers with credentials: a public key in the URL replaces the Authorization header. */
  #readCredentials({ query }: UnaryForm): CredentialHeaders {
    const { headers } = this.#exchange.request;
    if (query?.keys !== undefined) {
      return { ...headers, authorization: authorizationOfKey(query.keys, headers.authorization) };
    }
    const hasCookie = headers.cookie !== undefined;
    return hasCookie && !this.#method.takesSessions ? { ...headers, cookie: undefined } : headers;
  }

  /** Authenticates the caller, reads the message, calls the method and writes its response. */
  async #call(form: UnaryForm, signal: AbortSignal): Promise<HttpResponse> {
    const exchange = this.#exchange;
    const { request, now } = exchange;
    const { method, isRead, isStudio } = this.#method;
    const { pipeline, registry, requiresProtocolVersion = true } = this.#options;
    const json = { ...(registry && { registry }) };
    const { bodyLimit = isStudio ? HTTP_LIMITS.studioBody : HTTP_LIMITS.deliveryBody } =
      this.#options;
    const caller = await pipeline.authenticate(method, this.#readCredentials(form), now);
    if (requiresProtocolVersion) checkVersion(exchange, form);
    checkCompression(exchange, form);
    checkTimeout(this.#timeout);
    const bytes = await readMessageBytes(exchange, form, bodyLimit);
    const turn = pipeline.begin(caller);
    if (turn !== undefined) await turn;
    const warnings: Warning[] = [];
    // The Delivery API skips unknown fields, because newer clients send them.
    const options = isStudio ? json : { ...json, warnings };
    const message = parseMessage(method.input, form, bytes, options);
    const warning = printWarnings(warnings);
    this.#incoming = {
      method,
      request: exchange,
      headers: request.headers,
      signal,
      responseHeaders: { ...(warning !== undefined && { "marquee-warnings": warning }) },
      responseTrailers: {},
    };
    const response = await pipeline.call(this.#incoming, caller, message);
    const shared = isRead ? findSharedState(caller, response) : undefined;
    const written = writeMessage(method.output, response.message, form.codec, json);
    const state = form.isKeyed && shared && printState(written, shared.revision);
    const whole = await writeResponse(request, form, {
      headers: state ? { ...response.headers, [STATE_HEADER]: state } : response.headers,
      trailers: this.#incoming.responseTrailers,
      message: written,
      isTagged: isRead,
    });
    return shared === undefined ? whole : { ...whole, shared };
  }
}

/** Returns the state that a public response shows: the state of the public key's project; undefined if unknown. */
function findSharedState(
  caller: Caller,
  { headers, until }: CallResponse,
): SharedState | undefined {
  if (caller.kind !== "project" || caller.viewer !== undefined) return undefined;
  const { kind, projectId, organizationId, revision } = caller.key;
  const isPublic = kind === "public" && headers["cache-control"]?.startsWith("public") === true;
  if (!isPublic || revision === undefined) return undefined;
  return { projectId, organizationId, revision, until };
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
