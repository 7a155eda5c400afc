import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { ConnectError, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { afterAll, describe, expect, test } from "vitest";
import {
  type BadRequest,
  BadRequestSchema,
  type ErrorInfo,
  ErrorInfoSchema,
} from "../../gen/google/rpc/error_details_pb.ts";
import { StatusSchema } from "../../gen/google/rpc/status_pb.ts";
import {
  EventService,
  ListEventsRequestSchema,
} from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { PROCEDURES } from "../harness/calls.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();
const grpcJs = new Client(new URL(marquee.url).host, credentials.createInsecure());
afterAll(() => grpcJs.close());

type Request = MessageInitShape<typeof ListEventsRequestSchema>;

/** An error as a client sees it. */
interface Decoded {
  readonly code: number;
  readonly message: string;
  readonly infos: readonly ErrorInfo[];
  readonly errors: readonly BadRequest[];
}

async function callByGrpcJs(request: Request, key: string): Promise<Decoded> {
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${key}`);
  const bytes = Buffer.from(
    toBinary(ListEventsRequestSchema, create(ListEventsRequestSchema, request)),
  );
  const error = await new Promise<ServiceError | null>((resolve) => {
    const pass = (it: Buffer) => it;
    grpcJs.makeUnaryRequest(PROCEDURES.listEvents, pass, pass, bytes, metadata, resolve);
  });
  const [sent] = error?.metadata.get("grpc-status-details-bin") ?? [];
  const { code, message, details } = fromBinary(StatusSchema, sent as Buffer);
  expect([code, message]).toEqual([error?.code, error?.details]);
  return {
    code,
    message,
    infos: details.flatMap((any) => anyUnpack(any, ErrorInfoSchema) ?? []),
    errors: details.flatMap((any) => anyUnpack(any, BadRequestSchema) ?? []),
  };
}

const TRANSPORTS = {
  gRPC: createGrpcTransport,
  "gRPC-Web": createGrpcWebTransport,
  Connect: createConnectTransport,
} as const;

async function callByConnect(
  protocol: keyof typeof TRANSPORTS,
  request: Request,
  key: string,
): Promise<Decoded> {
  const transport = TRANSPORTS[protocol]({ baseUrl: marquee.url, httpVersion: "2" });
  const options = { headers: { authorization: `Bearer ${key}` } };
  const error = await createClient(EventService, transport)
    .listEvents(request, options)
    .then(() => undefined, ConnectError.from);
  return {
    code: error?.code ?? 0,
    message: error?.rawMessage ?? "",
    infos: error?.findDetails(ErrorInfoSchema) ?? [],
    errors: error?.findDetails(BadRequestSchema) ?? [],
  };
}

describe("the details of an error are the same in every client", () => {
  test.each<[string, Request, string | undefined, string, string[]]>([
    ["without a valid key", {}, "nobody", "CREDENTIALS_INVALID", []],
    ["of a field", { pageSize: -1 }, undefined, "PAGE_SIZE_INVALID", ["page_size"]],
    [
      "with text that is not ASCII",
      { filter: "título ☃ 😀 100%2C: (" },
      undefined,
      "KQL_SYNTAX",
      ["filter"],
    ],
  ])("%s", async (_, request, key, reason, fields) => {
    const credential = key ?? marquee.keys.public;
    const got = await callByGrpcJs(request, credential);
    expect(got.infos).toMatchObject([{ reason, domain: "marquee" }]);
    const violations = got.errors.flatMap(({ fieldViolations }) => fieldViolations);
    expect(violations.map(({ field }) => field)).toEqual(fields);
    for (const protocol of ["gRPC", "gRPC-Web", "Connect"] as const) {
      expect(await callByConnect(protocol, request, credential)).toEqual(got);
    }
  });
});
