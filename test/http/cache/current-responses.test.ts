import { request } from "node:http";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GetEventRequestSchema } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import type { Server } from "../../../src/server.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { getUrl, PROCEDURES } from "../../harness/calls.ts";
import { frame } from "../../harness/grpc-frame.ts";
import { send } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { override } from "../../harness/override.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const GET_EVENT = "/svc.cda.cms.event.v1.EventService/GetEvent";
const GET_PAGE = "/svc.cda.ott.page.v1.PageService/GetPage";

const marquee = await useMarquee();

async function patch(path: string, body: object): Promise<void> {
  const got = await send("PATCH", marquee.url + path, { token: marquee.tokens.owner, body });
  expect(got.status, got.text).toBe(200);
}

const get = (procedure: string, message: object, url = marquee.url) =>
  send("GET", url + getUrl(procedure, message), { token: marquee.keys.public });

/** Holds the lists of events that were read, until they are released. */
function holdReadEvents(store: Store) {
  const held: (() => void)[] = [];
  return {
    held,
    store: override(store, {
      events: override(store.events, {
        async list(...parameters) {
          const page = await store.events.list(...parameters);
          await new Promise<void>((resolve) => held.push(resolve));
          return page;
        },
      }),
    }),
  };
}

describe("a change that is committed while a read is in progress", () => {
  let server: Server;
  const reads = { held: [] as (() => void)[] };
  beforeAll(async () => {
    const { store, held } = holdReadEvents(marquee.store);
    reads.held = held;
    server = await startOver(store, { limits: { cacheMib: 8 } });
  });
  afterAll(() => server.close(1_000));

  test("is seen by the next read", async () => {
    const message = { filter: "id: match-2026-104", pageSize: 1 };
    const list = async () => {
      const { held } = reads;
      const read = get(PROCEDURES.listEvents, message, server.deliveryUrl);
      await expect.poll(() => held.length).toBe(1);
      return { read, release: () => held.pop()?.() };
    };
    const title = async ({ read, release }: Awaited<ReturnType<typeof list>>) => {
      release();
      return (await read).json.events[0].title.en;
    };
    const first = await list();
    const en = `Renamed ${Date.now()}`;
    await patch("/cms/events/v1/match-2026-104", {
      event: { title: { en } },
      update_mask: "title",
    });
    expect(await title(first)).not.toBe(en);
    expect(await title(await list())).toBe(en);
  });
});

test("a response that becomes personal by a change is not the shared one of before", async () => {
  const page = { slug: "home", includeItems: true };
  for (let times = 0; times < 3; times += 1) {
    expect((await get(GET_PAGE, page)).headers.get("cache-control")).toContain("public");
  }
  const path = `/ott/page_components/v2/${marquee.samples.rail_id}`;
  const { json } = await send("GET", marquee.url + path, { token: marquee.tokens.owner });
  const { rail } = json.page_component;
  const set = (exclude_geoblocked: boolean) =>
    patch(path, {
      page_component_update: { rail: { ...rail, exclude_geoblocked } },
      update_mask: "rail",
    });
  await set(true);
  for (let times = 0; times < 3; times += 1) {
    expect((await get(GET_PAGE, page)).headers.get("cache-control")).toBe("private, no-store");
  }
  await set(false);
});

test("gRPC over HTTP/1.1 has the same trailers again", async () => {
  const message = create(GetEventRequestSchema, { id: "match-2026-104" });
  const body = frame(toBinary(GetEventRequestSchema, message));
  const call = () =>
    new Promise<{ body: string; trailers: NodeJS.Dict<string> }>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${marquee.keys.public}`,
        ...{ "content-type": "application/grpc+proto", te: "trailers" },
      };
      const sent = request(marquee.url + GET_EVENT, { method: "POST", headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            body: Buffer.concat(chunks).toString("base64"),
            trailers: response.trailers,
          }),
        );
      });
      sent.on("error", reject);
      sent.end(body);
    });
  const first = await call();
  expect(first.trailers["grpc-status"]).toBe("0");
  for (let times = 0; times < 3; times += 1) expect(await call()).toEqual(first);
});

test("a response with the ETag of a resource is not compressed over Connect", async () => {
  const description = { en: "long ".repeat(400) };
  await patch("/cms/events/v1/match-2026-104", {
    event: { description },
    update_mask: "description",
  });
  const path = "/svc.studio.cms.event.v1.EventService/GetEvent";
  const { headers, text } = await send("POST", marquee.url + path, {
    token: marquee.tokens.owner,
    body: { eventId: "match-2026-104" },
    headers: { "connect-protocol-version": "1", "accept-encoding": "gzip" },
  });
  expect(text.length).toBeGreaterThan(1_024);
  expect(headers.get("etag")).not.toBeNull();
  expect(headers.get("content-encoding")).toBeNull();
});
