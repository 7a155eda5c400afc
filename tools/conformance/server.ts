import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { pino } from "pino";
import type { Caller } from "../../src/api/steps/incoming-call.ts";
import { ConnectInterface } from "../../src/http/connect/connect-interface.ts";
import { StreamSlots } from "../../src/http/connect/grpc-services.ts";
import { Dispatcher } from "../../src/http/dispatcher.ts";
import { createCors } from "../../src/http/listener/cors.ts";
import { HTTP_LIMITS } from "../../src/http/listener/limits.ts";
import { Listener } from "../../src/http/listener/listener.ts";
import { RequestLoad } from "../../src/http/listener/request-load.ts";
import { RequestMetrics } from "../../src/http/listener/request-metrics.ts";
import { UnreadResponses } from "../../src/http/listener/unread-responses.ts";
import type { Client } from "../../src/network/client.ts";
import { conformanceService, registry, schemaOf } from "./messages.ts";
import { callConformance } from "./service.ts";

// Serves the conformance suite's service over the product's own HTTP layer. The suite starts this program with a
// ServerCompatRequest on its standard input and reads its port from its standard output; both are preceded by their
// length in four bytes.

const HOST = "127.0.0.1";
const LENGTH_BYTES = 4;

const { messageReceiveLimit } = fromBinary(
  schemaOf("ServerCompatRequest"),
  await readPrefixed(process.stdin),
) as unknown as { readonly messageReceiveLimit: number };

const log = pino({ level: "silent" });
const bodyLimit = messageReceiveLimit || HTTP_LIMITS.studioBody;
const caller: Caller = {
  kind: "project",
  key: { projectId: "", organizationId: "", kind: "preview" },
};
const pipeline = {
  begin: () => undefined,
  authenticate: async () => caller,
  call: callConformance,
};
const listener = new Listener(
  new Dispatcher({
    log,
    clock: () => new Date(),
    findClient: (): Client => ({ address: HOST, trustsHeaders: false }),
    cors: createCors([]),
    endpoints: new Map(),
    connect: new ConnectInterface({
      ...{ services: [conformanceService()], pipeline, bodyLimit, registry },
      requiresProtocolVersion: false,
      slots: new StreamSlots(),
    }),
    load: new RequestLoad(1_000),
    requests: new RequestMetrics(),
    unread: new UnreadResponses(256 * 1024 * 1024),
  }),
);
const port = await listener.listen({ host: HOST, port: 0 });
process.once("SIGTERM", () => void listener.close(0).then(() => process.exit(0)));

const response = create(schemaOf("ServerCompatResponse"), { host: HOST, port });
const bytes = toBinary(schemaOf("ServerCompatResponse"), response);
const prefix = Buffer.alloc(LENGTH_BYTES);
prefix.writeUInt32BE(bytes.length);
process.stdout.write(Buffer.concat([prefix, bytes]));

async function readPrefixed(input: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  let seen = Buffer.alloc(0);
  for await (const chunk of input) {
    seen = Buffer.concat([seen, chunk]);
    if (seen.length < LENGTH_BYTES) continue;
    const end = LENGTH_BYTES + seen.readUInt32BE(0);
    if (seen.length >= end) return seen.subarray(LENGTH_BYTES, end);
  }
  throw new Error("standard input ended before the request");
}
