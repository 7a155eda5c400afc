import { createServer, type RequestListener } from "node:http";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { type DescMethod, fromJsonString, toBinary } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { PageComponentService } from "../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { frame } from "../../test/harness/grpc-frame.ts";
import type { PeerKind, PeerResponse } from "./servers.ts";

// Run as a process of its own: `peers.ts bare|bare-http2|connect|connect-http2`, with a PeerResponse on standard
// input. Prints its port.
const kind = process.argv[2] as PeerKind;
const chunks: Uint8Array[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
const expected = JSON.parse(Buffer.concat(chunks).toString()) as PeerResponse;

const server = createPeer();
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});

function createPeer() {
  switch (kind) {
    case "bare":
      return createServer(sendBytes(expected));
    case "bare-http2":
      return createHttp2Server().on("stream", sendMessage(toMessageBytes()));
    case "connect":
      return createServer(connectNodeAdapter({ routes }));
    case "connect-http2":
      return createHttp2Server(connectNodeAdapter({ routes }));
    default:
      throw new Error(`no such peer: ${kind satisfies never}`);
  }
}

/** Node's own server: reads the request's body and sends the same head and body. */
function sendBytes({ headers, json }: PeerResponse): RequestListener {
  const bytes = Buffer.from(json);
  return (request, response) => {
    request.resume().once("end", () => {
      response.writeHead(200, headers).end(bytes);
    });
  };
}

/** Node's own HTTP/2 server: reads the request's body and sends the same message of gRPC. */
function sendMessage(bytes: Uint8Array): (stream: ServerHttp2Stream) => void {
  const headers = { ":status": 200, "content-type": "application/grpc" };
  return (stream) => {
    // A client that has got all it wants may close its connection.
    stream.on("error", () => {});
    stream.resume().once("end", () => {
      stream.respond(headers, { waitForTrailers: true });
      stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(bytes);
    });
  };
}

/** A plain connect-node service whose method returns a ready message. */
function routes(router: ConnectRouter): void {
  const method = findMethod();
  const message = fromJsonString(method.output, expected.json);
  router.rpc(method as never, (() => message) as never);
}

function toMessageBytes(): Uint8Array {
  const { output } = findMethod();
  return frame(toBinary(output, fromJsonString(output, expected.json)));
}

function findMethod(): DescMethod {
  const methods = [EventService, PageComponentService].flatMap((service) => service.methods);
  const method = methods.find((it) => `/${it.parent.typeName}/${it.name}` === expected.procedure);
  if (method === undefined) throw new Error(`no such method: ${expected.procedure}`);
  return method;
}
