import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getUrl, PROCEDURES } from "../harness/calls.ts";
import { send } from "../harness/http.ts";
import { makeFolder, type ServiceFolder, serveProcess } from "../harness/service-process.ts";

/** A span as OTLP has it in JSON. */
interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly events?: readonly { readonly name: string }[];
}

let folder: ServiceFolder;
let collector: Server;
const spans: ReceivedSpan[] = [];
beforeAll(async () => {
  folder = makeFolder();
  collector = createServer(async (request, response) => {
    // biome-ignore lint/suspicious/noExplicitAny: the schema of OTLP is not the subject.
    const { resourceSpans } = (await json(request)) as any;
    for (const { scopeSpans } of resourceSpans)
      for (const it of scopeSpans) spans.push(...it.spans);
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  collector.close();
  folder.remove();
});

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

test("a trace goes through calls, the cache, the database and the deliveries of actions", async () => {
  const { port } = collector.address() as AddressInfo;
  const service = await serveProcess(folder, ["--demo"], {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  });
  const { accounts, projects } = JSON.parse(readFileSync(folder.demoFile, "utf8"));
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
  const goal = {
    ...{ project_id: "worldcup", type_id: "type-goal", video_id: "video-match-2026-104" },
    ...{ event_id: "match-2026-104", offset: "300s", start_offset: "290s", confidence: 1 },
  };
  const created = await send("POST", `${service.studioUrl}/annotations/annotations/v1`, {
    ...{ token: accounts.owner, headers, body: goal },
  });
  expect(created.status, created.text).toBe(200);
  const list = service.deliveryUrl + getUrl(PROCEDURES.listEvents, { pageSize: 1 });
  for (let round = 0; round < 2; round += 1) {
    await send("GET", list, { token: projects[0].public_key, headers });
  }
  const receiver = /runs of its actions +(\S+)\n/.exec(service.stdout())?.[1] ?? "";
  while ((await send("GET", receiver)).json.deliveries.length < 2) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await service.stop()).toBe(0);

  const own = spans.filter(({ traceId }) => traceId === TRACE);
  const named = (name: string) => own.filter((it) => it.name === name);
  const attributeOf = (span: ReceivedSpan | undefined, key: string) =>
    Object.values(span?.attributes.find((it) => it.key === key)?.value ?? {})[0];
  const [create] = named("svc.studio.annotations.annotation.v1.AnnotationService/CreateAnnotation");
  expect(create?.parentSpanId).toBe(PARENT);
  expect(attributeOf(create, "rpc.method")).toBe("CreateAnnotation");
  expect(create?.events?.map(({ name }) => name)).toContain("db.statement");
  const lists = named(PROCEDURES.listEvents.slice(1));
  expect(lists.map((it) => attributeOf(it, "marquee.cache"))).toEqual(["miss", "hit"]);
  const deliveries = named("POST");
  expect(deliveries.map((it) => it.parentSpanId)).toEqual([create?.spanId, create?.spanId]);
  expect(attributeOf(deliveries[0], "http.response.status_code")).toBe(200);
});
