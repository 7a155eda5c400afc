import { ConnectError } from "@connectrpc/connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { toConnectError } from "../../../src/api/steps/errors.ts";
import { Code, DomainError, type DomainErrorExtras } from "../../../src/domain/base/errors.ts";
import { toGrpcErrorResponse } from "../../../src/http/connect/grpc-framing.ts";

/** Returns an error as a client of gRPC gets it, and the bytes of its trailers. */
function send(message: string, extras: DomainErrorExtras) {
  const error = new DomainError(Code.ABORTED, "RELEASE_CONFLICTS", message, extras);
  const { trailers = {} } = toGrpcErrorResponse(toConnectError(error), "application/grpc");
  const bytes = Object.entries(trailers).reduce((sum, it) => sum + it.join(": ").length + 2, 0);
  const got = findTrailerError(new Headers(trailers)) ?? expect.fail();
  return { bytes, trailers, got: ConnectError.from(got) };
}

test("the largest error has trailers of less than 7 KiB, with its reason", () => {
  const text = "ü".repeat(10_000);
  const { bytes, got } = send(text, {
    fields: Array.from({ length: 9 }, () => ({ field: text, description: text })),
    metadata: Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`name_${at}`, text])),
  });
  expect(bytes).toBeLessThan(7 * 1_024);
  const [info] = got.findDetails(ErrorInfoSchema);
  expect(info?.reason).toBe("RELEASE_CONFLICTS");
  expect(Object.keys(info?.metadata ?? {})).toHaveLength(8);
  expect(info?.metadata.name_0).toBe(`${"ü".repeat(64)}…`);
  expect(got.findDetails(BadRequestSchema)[0]?.fieldViolations).toHaveLength(2);
  expect(got.rawMessage).toBe(`${"ü".repeat(336)}…`);
});

test("an error is sent whole up to 7 KiB of message and details, with less of its message if that is enough", () => {
  const message = "m".repeat(2_048);
  const [info] = send(message, {}).got.findDetails(ErrorInfoSchema);
  expect(info?.reason).toBe("RELEASE_CONFLICTS");
  // The details repeat the message.
  const sizeOf = (length: number) =>
    send("m", { metadata: { name: "x".repeat(length) } }).trailers["grpc-status-details-bin"]
      ?.length ?? 0;
  let length = 5_000;
  while (sizeOf(length + 1) > sizeOf(length) || sizeOf(length + 1) === sizeOf(length)) length += 1;
  expect(sizeOf(length)).toBe(7_167);
  expect(sizeOf(length + 1)).toBeLessThan(1_024);
});
