import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fromJson } from "@bufbuild/protobuf";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import {
  EventService,
  ListEventsResponseSchema,
} from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import {
  PageComponentService,
  UpdatePageComponentResponseSchema,
} from "../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";

// Run as a process of its own by bench.ts: `peers.ts bare|connect`, with the answers to give on
// standard input. Prints its port.
const [kind] = process.argv.slice(2);
const chunks: Uint8Array[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
const answers = JSON.parse(Buffer.concat(chunks).toString()) as { list: string; patch: string };

const server = createServer(kind === "bare" ? bare() : connect());
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});

/** Node's own server: reads the request's body and sends the same bytes. */
function bare(): Parameters<typeof createServer>[1] {
  const list = Buffer.from(answers.list);
  const patch = Buffer.from(answers.patch);
  return (request, response) => {
    request.resume().once("end", () => {
      const body = request.method === "GET" ? list : patch;
      response.writeHead(200, { "content-type": "application/json" }).end(body);
    });
  };
}

/** A plain connect-node server whose handlers return a ready message. */
function connect(): Parameters<typeof createServer>[1] {
  const list = fromJson(ListEventsResponseSchema, JSON.parse(answers.list));
  const patch = fromJson(UpdatePageComponentResponseSchema, JSON.parse(answers.patch));
  return connectNodeAdapter({
    routes: (router) => {
      router.service(EventService, { listEvents: () => list });
      router.service(PageComponentService, { updatePageComponent: () => patch });
    },
  });
}
