import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import {
  BadRequestSchema,
  type ErrorInfo,
  ErrorInfoSchema,
} from "../../../gen/google/rpc/error_details_pb.ts";
import type { Reason as KnownReason } from "../../../gen/reasons.ts";

/** The stable reason of an error: one of the page of errors, or one of a later version of Marquee. */
export type Reason = KnownReason | (string & {});

/** An invalid field of the request: its proto path, and the error in English. */
export interface FieldError {
  readonly field: string;
  readonly description: string;
}

/** The domain of the service's own reasons (contract: errors 1). */
const DOMAIN = "marquee";

/** The name of the method whose text `console.error` of Node shows. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** An error that Marquee returned, with a stable reason for programs. */
export class MarqueeError extends ConnectError {
  /** In UPPER_SNAKE, such as `RESOURCE_NOT_FOUND`; it never changes, the message may. */
  readonly reason: Reason;
  /** The changing parts of the message, by name: `metadata` of `google.rpc.ErrorInfo`. */
  readonly info: Readonly<Record<string, string>>;
  /** The invalid fields, at most eight. */
  readonly fields: readonly FieldError[];
  /** Seconds to wait before a retry; undefined if unknown. */
  readonly retryAfter: number | undefined;

  /** The message without the code and the reason. */
  override readonly rawMessage: string;

  constructor(error: ConnectError, { reason, metadata }: Pick<ErrorInfo, "reason" | "metadata">) {
    // Browsers and log services show only the message and the stack, which begins with it.
    const message = `${reason}: ${error.rawMessage}`;
    super(message, error.code, error.metadata, undefined, error.cause);
    this.rawMessage = error.rawMessage;
    this.details = error.details;
    this.reason = reason;
    this.info = metadata;
    this.fields = error
      .findDetails(BadRequestSchema)
      .flatMap((it) => it.fieldViolations)
      .map(({ field, description }) => ({ field, description }));
    const seconds = Number.parseInt(error.metadata.get("retry-after") ?? "", 10);
    this.retryAfter = Number.isNaN(seconds) ? undefined : seconds;
  }

  /** The first invalid field, by its proto path such as `page_component.rail.filter`; undefined for none. */
  get field(): string | undefined {
    return this.fields[0]?.field ?? this.info.field;
  }

  /** Returns the code and the reason, the first invalid field if there is one, and the message: a line each. */
  [INSPECT](): string {
    const field = this.field === undefined ? "" : `  field: ${this.field}\n`;
    return `MarqueeError: ${codeToString(this.code)} ${this.reason}\n${field}  ${this.rawMessage}`;
  }

  /** Reports whether a value is of this class, by its members: the inherited check accepts every ConnectError. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof ConnectError && "reason" in value && "info" in value;
  }
}

/** Reports whether a caught value is an error of Marquee, with one of the reasons if any are given. */
export function hasReason<Given extends Reason>(
  cause: unknown,
  ...reasons: readonly Given[]
): cause is MarqueeError & { readonly reason: Given } {
  return (
    cause instanceof MarqueeError &&
    (reasons.length === 0 || reasons.some((it) => it === cause.reason))
  );
}

/** Throws errors of Marquee as {@link MarqueeError}; errors of the network remain ConnectErrors. */
export const throwByReason: Interceptor = (next) => async (request) => {
  try {
    return await next(request);
  } catch (cause) {
    const error = ConnectError.from(cause, Code.Unknown);
    const info = error.findDetails(ErrorInfoSchema).find((it) => it.domain === DOMAIN);
    throw info === undefined ? cause : new MarqueeError(error, info);
  }
};
