import type { DescService } from "@bufbuild/protobuf";
import type { ServiceImplSpec } from "@connectrpc/connect";
import type { Procedure, ProcedureFace } from "../dispatcher.ts";
import { isPreflight, preflightHeaders } from "../listener/cors.ts";
import type { Answer, Exchange, NodeRequest } from "../listener/exchange.ts";
import { methodNotAllowed } from "../listener/refusal.ts";
import { errorFormOf, protocolOf, toErrorAnswer } from "./errors.ts";
import { GrpcServices } from "./grpc-services.ts";
import type { StreamSlots } from "./stream-slots.ts";
import {
  listUnaryMethods,
  UnaryCall,
  type UnaryCallOptions,
  type UnaryMethod,
} from "./unary-call.ts";

/** The services of one listener and the limits of calls. */
export interface ConnectFaceOptions extends UnaryCallOptions {
  readonly services: readonly DescService[];
  /** The services of gRPC itself, such as health, which need no credentials. Default: none. */
  readonly openServices?: readonly ServiceImplSpec[];
  /** The slots of all streaming calls of this process. */
  readonly slots: StreamSlots;
}

/** Answers the procedures of one listener over Connect, gRPC and gRPC-Web. */
export class ConnectFace implements ProcedureFace {
  readonly #options: ConnectFaceOptions;
  readonly #unary: ReadonlyMap<string, UnaryMethod>;
  readonly #grpc: GrpcServices;

  constructor(options: ConnectFaceOptions) {
    this.#options = options;
    this.#unary = listUnaryMethods(options.services);
    this.#grpc = new GrpcServices(options.openServices ?? [], options.slots);
  }

  /** Returns the call that a request makes; undefined for an unknown procedure. */
  find(exchange: Exchange): Procedure | undefined {
    const { path, method } = exchange;
    const unary = this.#unary.get(path);
    if (unary === undefined && !this.#grpc.has(path)) return undefined;
    const allowed = unary?.isRead ? READ_METHODS : CALL_METHODS;
    if (!allowed.includes(method)) return { answer: async () => refuseMethod(exchange, allowed) };
    if (unary !== undefined) return new UnaryCall(unary, exchange, this.#options);
    return { answer: () => this.#grpc.answer(exchange) };
  }

  /** Returns the response to an error in the form that the caller expects. */
  toErrorAnswer(cause: unknown, { request }: Exchange): Answer {
    return toErrorAnswer(cause, errorFormOf(request));
  }

  /** Returns the protocol of a request by its content type. */
  protocolOf(request: NodeRequest) {
    return protocolOf(request);
  }
}

const READ_METHODS: readonly string[] = ["GET", "POST"];
const CALL_METHODS: readonly string[] = ["POST"];

/** Answers a preflight, or refuses an HTTP method that is not allowed. */
function refuseMethod(exchange: Exchange, allowed: readonly string[]): Answer {
  return isPreflight(exchange)
    ? { status: 204, headers: preflightHeaders(allowed), body: new Uint8Array() }
    : toErrorAnswer(methodNotAllowed(allowed), "connect");
}
