import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ServiceImplSpec } from "@connectrpc/connect";
import type { CallResponse, Pipeline } from "../../api/pipeline.ts";
import { authorizationOfKey, type CredentialHeaders } from "../../api/steps/authenticate.ts";
import { isUnforeseen } from "../../api/steps/errors.ts";
import { type Caller, type IncomingCall, organizationOf } from "../../api/steps/incoming-call.ts";
import { isStudioService } from "../../domain/base/descriptors.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { listNearNames } from "../../domain/base/text.ts";
import { printWarnings, type Warning } from "../../domain/base/warnings.ts";
import { allowMethods, isPreflight } from "../listener/cors.ts";
import type {
  Exchange,
  HttpResponse,
  NodeRequest,
  Procedure,
  SharedState,
} from "../listener/exchange.ts";
import { HTTP_LIMITS } from "../listener/limits.ts";
import { httpError, Rejection } from "../listener/rejection.ts";
import { printState, STATE_HEADER } from "../listener/wait-request.ts";
import { errorFormOf, toErrorResponse } from "./errors.ts";
import { GrpcServices, type StreamSlots } from "./grpc-services.ts";
import {
  type CodecOptions,
  checkCompression,
  checkTimeout,
  parseMessage,
  readForm,
  readMessageBytes,
  readParameters,
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
export class ConnectInterface {
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
      unary === undefined ? this.#grpc.find(exchange) : createCall(unary, exchange, this.#options);
    const allowed = unary?.isRead ? READ_METHODS : CALL_METHODS;
    if (call === undefined || allowed.includes(method)) return call;
    const response = isPreflight(exchange)
      ? allowMethods(allowed)
      : toErrorResponse(httpError.methodNotAllowed(allowed), "connect");
    return { call: async () => response };
  }

  /**
   * Returns the path of the method whose name is nearest, in a service of the same name and API. Undefined if none is
   * near, or the path is of an API that is not served.
   */
  suggest(path: string): string | undefined {
    const [, typeName = "", name = ""] = path.split("/");
    const service = typeName.slice(typeName.lastIndexOf(".") + 1);
    const [api = ""] = /^svc\.(cda|studio)\./.exec(typeName) ?? [];
    const known = [...this.#methods.values()]
      .map(({ method }) => method)
      .filter(({ parent }) => parent.name === service && parent.typeName.startsWith(api));
    const names = known.map((it) => it.name);
    const [near] = listNearNames(name, names);
    const method = known.find((it) => it.name === near);
    return method && `/${method.parent.typeName}/${method.name}`;
  }
}

const READ_METHODS: readonly string[] = ["GET", "HEAD", "POST"];
const CALL_METHODS: readonly string[] = ["POST"];

function createCall(
  unary: UnaryMethod,
  exchange: Exchange,
  options: ConnectInterfaceOptions,
): Procedure {
  const timeout = readTimeout(exchange.request);
  return {
    timeoutMs: timeout.error === undefined ? timeout.timeoutMs : 0,
    call: (signal) => callUnary(unary, exchange, options, timeout, signal),
  };
}

/**
 * Authenticates the caller, reads the message, calls the method, and returns the whole response, or the response to its
 * error.
 */
async function callUnary(
  { method, isRead, isStudio, takesSessions }: UnaryMethod,
  exchange: Exchange,
  options: ConnectInterfaceOptions,
  timeout: Timeout,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { request, now } = exchange;
  const { pipeline, registry, requiresProtocolVersion = true } = options;
  const { bodyLimit = isStudio ? HTTP_LIMITS.studioBody : HTTP_LIMITS.deliveryBody } = options;
  const json = { ...(registry && { registry }) };
  const parameters = readParameters(exchange);
  const form = readForm(exchange, parameters);
  if (!(form instanceof Rejection)) exchange.setMethod(form.protocol, exchange.path.slice(1));
  /** The call, once the method is called: an error has its headers, too. */
  let incoming: IncomingCall | undefined;
  try {
    const credentials = readCredentials(request, parameters.getAll("key"), takesSessions);
    const caller = await pipeline.authenticate(method, credentials, now);
    if (form instanceof Rejection) return toErrorResponse(form, "connect");
    if (requiresProtocolVersion) checkVersion(exchange, form);
    checkCompression(exchange, form);
    checkTimeout(timeout);
    const bytes = await readMessageBytes(exchange, form, bodyLimit);
    exchange.load.admit(exchange, organizationOf(caller), bytes.length);
    const turn = pipeline.begin(caller);
    if (turn !== undefined) await turn;
    const warnings: Warning[] = [];
    // The Delivery API skips unknown fields, because newer clients send them.
    const message = parseMessage(
      method.input,
      form,
      bytes,
      isStudio ? json : { ...json, warnings },
    );
    const warning = printWarnings(warnings);
    incoming = {
      ...{ method, request: exchange, headers: request.headers, signal },
      responseHeaders: { ...(warning !== undefined && { "marquee-warnings": warning }) },
      responseTrailers: {},
    };
    const response = await pipeline.call(incoming, caller, message);
    const shared = isRead ? findSharedState(caller, response) : undefined;
    const written = await writeMessage(method.output, response.message, form.codec, json);
    const state = form.query?.hasKey && shared && printState(written, shared.revision);
    const whole = await writeResponse(request, form, {
      headers: state ? { ...response.headers, [STATE_HEADER]: state } : response.headers,
      trailers: incoming.responseTrailers,
      message: written,
      isTagged: isRead,
    });
    return shared === undefined ? whole : { ...whole, shared };
  } catch (cause) {
    if (isUnforeseen(cause)) throw cause;
    return toErrorResponse(cause, errorFormOf(request), incoming);
  }
}

/** Returns the headers with credentials: a public key in the URL replaces the Authorization header. */
function readCredentials(
  { headers }: NodeRequest,
  keys: readonly string[],
  takesSessions: boolean,
): CredentialHeaders {
  if (keys.length > 0) {
    return { ...headers, authorization: authorizationOfKey(keys, headers.authorization) };
  }
  const hasCookie = headers.cookie !== undefined;
  return hasCookie && !takesSessions ? { ...headers, cookie: undefined } : headers;
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
  const message = "a POST must carry the header connect-protocol-version: 1";
  throw new DomainError(Code.INVALID_ARGUMENT, "CONNECT_PROTOCOL_VERSION_REQUIRED", message);
}
