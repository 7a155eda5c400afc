import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import {
  EventService,
  type ListEventsRequestSchema,
} from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { PageService } from "../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { send } from "../../test/harness/http.ts";
import type { BenchRequest, Load } from "./load.ts";
import { createBenchEvent } from "./million.ts";
import type { ServerProcess } from "./processes.ts";

/** One call in the three forms of the Delivery API. */
export interface Call {
  readonly get: BenchRequest;
  /** By the Connect protocol, in JSON. */
  readonly post: BenchRequest;
  /** In the binary format. */
  readonly grpc: BenchRequest;
}

/** The headers that name a credential. */
export type Credential = Readonly<{ authorization: string }>;

/** Creates a call of delivery. */
export function createCall<Input extends DescMessage>(
  method: DescMethodUnary<Input>,
  init: MessageInitShape<Input>,
  credential: Credential,
): Call {
  const path = `/${method.parent.typeName}/${method.name}`;
  const message = create(method.input, init);
  const json = toJsonString(method.input, message);
  const get = `${path}?encoding=json&message=${encodeURIComponent(json)}`;
  const connect = { "content-type": "application/json", "connect-protocol-version": "1" };
  const grpc = { "content-type": "application/grpc", te: "trailers" };
  return {
    get: { method: "GET", path: get, headers: credential },
    post: { method: "POST", path, headers: { ...credential, ...connect }, body: json },
    grpc: {
      ...{ method: "POST", path, headers: { ...credential, ...grpc } },
      body: toBinary(method.input, message),
    },
  };
}

/** A list of events. */
export function listEvents(
  message: MessageInitShape<typeof ListEventsRequestSchema>,
  credential: Credential,
): Call {
  return createCall(EventService.method.listEvents, message, credential);
}

/** The first events of a project, in the default order. */
export function firstEvents(credential: Credential): Call {
  return listEvents({ pageSize: 20 }, credential);
}

/** The newest events of an equality and a range, another range for each number below 70,000. */
export function newestMatches(number: number, credential: Credential): Call {
  const filter = `content_type: match and fields.attendance >= ${10_000 + number}`;
  return listEvents({ pageSize: 20, filter, order: "start_time desc" }, credential);
}

/** Events filtered and ordered. */
export function filteredEvents(
  filter: string,
  order: string,
  credential: Credential,
  counts: { readonly includeTotal?: boolean; readonly facets?: string[] } = {},
): Call {
  return listEvents({ filter, order, ...counts }, credential);
}

/** One event by its id. */
export function oneEvent(id: string, credential: Credential): Call {
  return createCall(EventService.method.getEvent, { id }, credential);
}

/** The home page of the demo with the items of its rails. */
export function homePage(credential: Credential): Call {
  const message = { slug: "home", includeItems: true, environment: "web" };
  return createCall(PageService.method.getPage, message, credential);
}

/** Chooses ids of published events among the first ones of `createBenchEvent`, spread over all. */
export function chooseEventIds(events: number, count: number): readonly string[] {
  const ids = Array.from({ length: count * 2 }, (_, number) =>
    createBenchEvent("", (number * 7_919) % events),
  ).filter(({ visibility }) => visibility === Visibility.PUBLISHED);
  return ids.slice(0, count).map(({ id }) => id);
}

/** Makes the load of calls by GET. */
export function byGet(server: ServerProcess, ...calls: readonly Call[]): Load {
  return { server, requests: calls.map((call) => call.get) };
}

/** Makes the load of calls by Connect POST. */
export function byPost(server: ServerProcess, ...calls: readonly Call[]): Load {
  return { server, requests: calls.map((call) => call.post) };
}

/** Makes the load of calls by gRPC. */
export function byGrpc(server: ServerProcess, ...calls: readonly Call[]): Load {
  return { server, requests: calls.map((call) => call.grpc), isGrpc: true };
}

/** Returns the response to the first request of a load over HTTP/1.1; a status other than 200 throws. */
export async function readResponse({ server, requests: [request] }: Load) {
  if (request === undefined) throw new Error("a load without requests");
  const { method, path, headers, body } = request;
  const url = `http://127.0.0.1:${server.port}${path}`;
  // Loads ask for no encoding, but `fetch` would.
  const options = { headers: { "accept-encoding": "identity", ...headers }, body };
  const response = await send(method, url, options);
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${response.text}`);
  return response;
}
