import type { DescMethod } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { DomainError } from "../../../src/domain/base/errors.ts";
import { bindRequest } from "../../../src/http/rest/bind-request.ts";
import { Router } from "../../../src/http/rest/router.ts";

/** What a rejected request says of itself. */
export interface BindError {
  readonly reason: string;
  readonly fields: readonly string[];
  readonly message: string;
}

/** Routes and binds a request as an HTTP server does; `target` is a path with its query. */
export function bind(
  methods: readonly DescMethod[],
  httpMethod: string,
  target: string,
  body?: string | Uint8Array,
) {
  const [path = "", ...query] = target.split("?");
  const result = new Router(methods).route(httpMethod, path);
  if (result.kind !== "match") {
    throw new Error(`${httpMethod} ${target}: ${result.kind}`);
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return bindRequest(result.binding, result.variables, query.join("?"), bytes);
}

/** Gives the error of a rejected request; anything but a DomainError fails the test. */
export function errorOf(act: () => unknown): BindError {
  try {
    act();
  } catch (error) {
    if (!(error instanceof DomainError)) {
      throw error;
    }
    expect(error.code).toBe(3);
    const { reason, message } = error;
    return { reason, message, fields: error.fields.map(({ field }) => field) };
  }
  throw new Error("the request was not rejected");
}
