import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, test } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { EventService } from "../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { PageService } from "../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import { PageComponentService } from "../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { authorize } from "../harness/transports.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();

const openTransport = () =>
  createGrpcTransport({
    baseUrl: marquee.url,
    interceptors: [authorize(marquee.tokens.owner)],
  });

test("a page is made, filled and put in another order over gRPC", async () => {
  const transport = openTransport();
  const pages = createClient(PageService, transport);
  const components = createClient(PageComponentService, transport);
  const { page } = await pages.createPage({ page: { projectId: "worldcup", slug: "grpc" } });
  const pageId = page?.id ?? "";
  const pageComponent = {
    ...{ projectId: "worldcup", type: "text" },
    data: { case: "text" as const, value: { a: 1 } },
  };
  const requestId = "grpc-1";
  const first = await components.createPageComponent({ pageComponent, pageId, requestId });
  const again = await components.createPageComponent({ pageComponent, pageId, requestId });
  expect(again).toEqual(first);
  const second = await components.createPageComponent({ pageComponent, pageId, position: 0 });
  const ids = [first, second].map((it) => it.pageComponent?.id ?? "");
  const ordered = await pages.reorderPageComponents({ pageId, pageComponentIds: ids });
  expect(ordered.pageComponentIds).toEqual(ids);
  const read = await components.getPageComponent({ pageComponentId: ids[1] ?? "" });
  expect([read.pageId, read.position]).toEqual([pageId, 1]);

  const thrown = await pages
    .reorderPageComponents({ pageId, pageComponentIds: [...ids, "nobody"] })
    .catch(ConnectError.from);
  if (!(thrown instanceof ConnectError)) throw new Error("it was not refused");
  expect(thrown.code).toBe(Code.InvalidArgument);
  expect(thrown.findDetails(ErrorInfoSchema)).toMatchObject([
    { reason: "ORDER_INCOMPLETE", metadata: { unknown: "nobody", missing: "", repeated: "" } },
  ]);
});

test("content as deep as it may be is read by a client of the binary form", async () => {
  const events = createClient(EventService, openTransport());
  const fields = JSON.parse(`${'{"a":'.repeat(30)}1${"}".repeat(30)}`);
  const { event } = await events.createEvent({ event: { projectId: "worldcup", fields } });
  const list = await events.listEvents({ projectId: "worldcup", filter: `id: "${event?.id}"` });
  expect(list.events).toEqual([event]);
});
