import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import type { ContextValues, Interceptor, UnaryRequest, UnaryResponse } from "@connectrpc/connect";
import { openCall, setPart } from "../../src/api/steps/call.ts";
import type { Account } from "../../src/storage/store.ts";

/** The time of all calls. */
export const NOW = new Date("2026-03-01T00:00:00Z");

/** A call of a method by an account that is authenticated. */
export interface ChainCall {
  readonly method: DescMethod;
  readonly message: Message;
  readonly account: Account;
  /** What answers behind the interceptors; default: an empty message. */
  readonly handler?: (values: ContextValues) => Promise<unknown> | unknown;
}

/** What a call ended with. */
export interface ChainEnd {
  readonly values: ContextValues;
  readonly response?: UnaryResponse;
  readonly fault?: unknown;
}

/** Carries a call through interceptors; the first is the outermost. */
export async function callThrough(
  interceptors: readonly Interceptor[],
  { method, message, account, handler = () => {} }: ChainCall,
): Promise<ChainEnd> {
  const values = openCall({ requestId: "r", now: NOW, address: "", trustsHeaders: false });
  setPart(values, "caller", { kind: "account", account, answerKey: new Uint8Array(32) });
  const request: UnaryRequest = {
    ...{ stream: false, service: method.parent, method: method as never, message },
    ...{ requestMethod: "POST", url: "", init: {}, header: new Headers(), contextValues: values },
    signal: new AbortController().signal,
  };
  const answer = async (): Promise<UnaryResponse> => {
    await handler(values);
    const { parent: service, output } = method;
    const parts = { service, method: method as never, message: create(output) };
    return { stream: false, ...parts, header: new Headers(), trailer: new Headers() };
  };
  const chain = interceptors.reduceRight<(request: never) => Promise<unknown>>(
    (next, interceptor) => interceptor(next as never) as never,
    answer,
  );
  try {
    return { values, response: (await chain(request as never)) as UnaryResponse };
  } catch (fault) {
    return { values, fault };
  }
}
