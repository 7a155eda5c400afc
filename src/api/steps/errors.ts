import { create } from "@bufbuild/protobuf";
import { type Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { DomainError, Code as RpcCode } from "../../domain/base/errors.ts";

/** The domain of every `google.rpc.ErrorInfo` of the product. */
const ERROR_DOMAIN = "marquee";

/** Translates anything thrown into the error that callers get. */
export function toConnectError(cause: unknown): ConnectError {
  if (cause instanceof ConnectError) return cause;
  if (cause instanceof DomainError) return translate(cause);
  return translate(new DomainError(RpcCode.INTERNAL, "INTERNAL", "internal error", { cause }));
}

/** Reports whether an error is a defect, whose cause belongs in the log. */
export function isUnforeseen(cause: unknown): boolean {
  return !(cause instanceof ConnectError || cause instanceof DomainError);
}

/** Converts a Connect code to the google.rpc code of the same number. */
export function toRpcCode(code: Code): RpcCode {
  return code as number as RpcCode;
}

function translate(error: DomainError): ConnectError {
  const info = {
    desc: ErrorInfoSchema,
    value: create(ErrorInfoSchema, {
      reason: error.reason,
      domain: ERROR_DOMAIN,
      metadata: { ...error.metadata },
    }),
  };
  const errors = {
    desc: BadRequestSchema,
    value: create(BadRequestSchema, {
      fieldViolations: error.fields.map((it) => ({ ...it, reason: error.reason })),
    }),
  };
  const headers = {
    "cache-control": "no-store",
    ...(error.code === RpcCode.UNAUTHENTICATED && { "www-authenticate": "Bearer" }),
    ...(error.retryAfter !== undefined && { "retry-after": String(error.retryAfter) }),
  };
  const details = error.fields.length > 0 ? [info, errors] : [info];
  return new ConnectError(
    error.message,
    error.code as number as Code,
    headers,
    details,
    error.cause,
  );
}
