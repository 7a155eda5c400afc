import { readFileSync } from "node:fs";
import {
  createFileRegistry,
  type DescMessage,
  type DescService,
  fromBinary,
  type Message,
} from "@bufbuild/protobuf";
import { type Any, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

const PACKAGE = "connectrpc.conformance.v1";

/** All types of the suite. */
export const registry = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, readFileSync(new URL("conformance.binpb", import.meta.url))),
);

/** `connectrpc.conformance.v1.Header`. */
export interface Header {
  readonly name: string;
  readonly value: readonly string[];
}

/** `connectrpc.conformance.v1.Error`. */
export interface ErrorDefinition {
  readonly code: number;
  readonly message?: string;
  readonly details: readonly Any[];
}

/** `connectrpc.conformance.v1.UnaryResponseDefinition`: one response as the suite wants it. */
export interface UnaryDefinition {
  readonly responseHeaders: readonly Header[];
  readonly responseTrailers: readonly Header[];
  /** In milliseconds. */
  readonly responseDelayMs: number;
  readonly response:
    | { readonly case: "responseData"; readonly value: Uint8Array }
    | { readonly case: "error"; readonly value: ErrorDefinition }
    | { readonly case: undefined };
}

/** A request of a unary method. */
export interface UnaryRequest extends Message {
  readonly responseDefinition?: UnaryDefinition;
}

/** Gets the suite's service. */
export function conformanceService(): DescService {
  const service = registry.getService(`${PACKAGE}.ConformanceService`);
  if (service === undefined) throw new Error("conformance.binpb does not contain the service");
  return service;
}

/** Gets the schema of one of the suite's messages by its name within the package. */
export function schemaOf(name: string): DescMessage {
  const schema = registry.getMessage(`${PACKAGE}.${name}`);
  if (schema === undefined) throw new Error(`conformance.binpb does not contain ${name}`);
  return schema;
}
