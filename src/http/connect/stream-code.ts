import { endStreamFlag, endStreamFromJson } from "@connectrpc/connect/protocol-connect";
import { trailerFlag, trailerParse } from "@connectrpc/connect/protocol-grpc-web";
import { toRpcCode } from "../../api/steps/errors.ts";
import { Code } from "../../domain/errors.ts";
import { ENVELOPE_PREFIX } from "./envelopes.ts";

/**
 * Reads the code of a streaming answer at its end: from the trailer of gRPC, or from the last envelope, which the
 * library sends uncompressed as it is short.
 */
export function readStreamCode(trailer: Headers | undefined, last: Uint8Array | undefined): Code {
  const status = trailer?.get("grpc-status");
  if (status !== null && status !== undefined) return Number(status) as Code;
  const bytes = last?.subarray(ENVELOPE_PREFIX);
  switch (last?.[0]) {
    case endStreamFlag: {
      const { error } = endStreamFromJson(bytes ?? "");
      return error === undefined ? Code.OK : toRpcCode(error.code);
    }
    case trailerFlag:
      return Number(trailerParse(bytes ?? new Uint8Array()).get("grpc-status") ?? Code.OK) as Code;
    default:
      return Code.OK;
  }
}
