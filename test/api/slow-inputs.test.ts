import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { beforeAll, describe, expect, test } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { EntityService as DeliveredEntities } from "../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { EntityService } from "../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import { PageComponentService } from "../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import { metadataOf, rejection, send } from "../harness/http.ts";
import { authorize } from "../harness/transports.ts";
import { expectWithin, LONGEST_TURN, MACHINE, watchTurns } from "../harness/turns.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callDelivery } from "./delivery.ts";
import type { JsonMessage } from "./methods.ts";
import { callStudio } from "./studio.ts";

const marquee = await useMarquee();

const LONG = 250_000;

/** Lists of delivery by POST, as their filters are longer than an address. */
const list = (
  kind: "entity.v1.EntityService/ListEntities" | "event.v1.EventService/ListEvents",
  message: JsonMessage,
) => callDelivery(marquee, `svc.cda.cms.${kind}`, message, "public", "POST");
const ENTITIES = "entity.v1.EntityService/ListEntities";
const EVENTS = "event.v1.EventService/ListEvents";

/** Runs something up to three times until it lets others through in time, and returns the result. */
async function longestTurn(run: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < 3 && least > LONGEST_TURN; tried += 1) {
    least = Math.min(least, (await watchTurns(run)).longest);
  }
  return least;
}

describe("an entity as large as it may be is kept without holding up others", () => {
  const deep = "k".repeat(200);
  const fields: Readonly<Record<string, unknown>> = {
    "a time with a fraction of zeros": { a: `2026-06-11T18:00:00.${"0".repeat(LONG)}1Z` },
    "accents out of order": { a: `a${"\u0315".repeat(LONG / 5)}${"\u0316".repeat(LONG / 5)}` },
    "letters without a blank": { a: "a".repeat(LONG) },
    "many values behind long keys": {
      [deep]: { [deep]: { [deep]: Object.fromEntries(keys(1_000, (it) => [`k${it}`, it])) } },
    },
  };
  for (const [name, value] of Object.entries(fields)) {
    test(name, async () => {
      const call = callStudio(marquee, EntityService);
      const entity = { projectId: "worldcup", contentType: "long", fields: value };
      const got = await longestTurn(async () => {
        expect((await call("CreateEntity", { entity })).status).toBe(200);
      });
      expectWithin(got, LONGEST_TURN);
    });
  }
});

describe("a filter over ten texts of 250 KB lets others through in time", () => {
  beforeAll(async () => {
    const call = callStudio(marquee, EntityService);
    for (let index = 0; index < 10; index += 1) {
      const entity = {
        ...{ projectId: "worldcup", contentType: "haystack" },
        ...{ visibility: "VISIBILITY_PUBLISHED", fields: { hay: "a".repeat(LONG) } },
      };
      expect((await call("CreateEntity", { entity })).status).toBe(200);
    }
  });

  const patterns: Readonly<Record<string, string>> = {
    "a long run and another letter": `*${"a".repeat(8_000)}b*`,
    "another letter and a long run": `*b${"a".repeat(8_000)}*`,
    "another letter between runs": `*${"a".repeat(4_000)}b${"a".repeat(4_000)}*`,
    "many stars": `${"*a".repeat(4_000)}*b`,
    "a long end": `*${"a".repeat(8_000)}b`,
  };
  for (const [name, pattern] of Object.entries(patterns)) {
    test(name, async () => {
      const filter = `content_type: haystack and fields.hay: ${pattern}`;
      const longest = await longestTurn(async () => {
        const got = await list(ENTITIES, { filter });
        expect([got.status, got.json.entities ?? []]).toEqual([200, []]);
      });
      expectWithin(longest, LONGEST_TURN);
    });
  }

  test("what is there is found by a long text and by a short one", async () => {
    for (const pattern of [`*${"a".repeat(8_000)}*`, "*aaa*", `${"a".repeat(50)}*a`]) {
      const filter = `content_type: haystack and fields.hay: ${pattern}`;
      const got = await list(ENTITIES, { filter, pageSize: 2 });
      expect(got.json.entities).toHaveLength(2);
    }
  });
});

test("a filter of 7,900 zeros lets others through in time", async () => {
  const filter = `start_time > "2026-06-11T18:00:00.${"0".repeat(7_900)}1Z"`;
  const longest = await longestTurn(() => list(EVENTS, { filter, pageSize: 1 }));
  expectWithin(longest, 6 * MACHINE);
});

test.each(["grpc", "grpc-web"])(
  "a body of 800,000 empty messages lets others through in time: %s",
  async (protocol) => {
    const url = `${marquee.url}/svc.studio.cms.entity.v1.EntityService/ListEntities`;
    const headers = { "content-type": `application/${protocol}` };
    const longest = await longestTurn(async () => {
      const body = Buffer.alloc(4 * 1024 * 1024 - 4);
      const got = await send("POST", url, { token: marquee.tokens.owner, headers, body });
      expect(got.status).toBe(200);
    });
    expectWithin(longest, LONGEST_TURN / 4);
  },
);

test("a text as long as it may be counts by characters and not by UTF-16 units", async () => {
  const call = callStudio(marquee, EntityService, "REST");
  const create = (contentType: string) =>
    call("CreateEntity", { validateOnly: true, entity: { projectId: "worldcup", contentType } });
  expect((await create("🏀".repeat(4_096))).status).toBe(200);
  const got = await create("🏀".repeat(4_097));
  expect(rejection(got)).toEqual([400, "FIELD_TOO_LONG"]);
  expect(metadataOf(got)).toMatchObject({ size: "4097", limit: "4096" });
});

describe("an error repeats no more of a request than its reader takes", () => {
  const open = (token: string, more: { useBinaryFormat?: false } = {}) =>
    createGrpcTransport({ baseUrl: marquee.url, interceptors: [authorize(token)], ...more });

  test("an id of 60 KB over gRPC is rejected, and the connection goes on", async () => {
    const entities = createClient(DeliveredEntities, open(marquee.keys.public));
    const thrown = await entities.getEntity({ id: "é".repeat(30_000) }).catch(ConnectError.from);
    expect(infoOf(thrown)).toEqual([Code.InvalidArgument, "FIELD_TOO_LONG"]);
    const missing = await entities.getEntity({ id: "é".repeat(512) }).catch(ConnectError.from);
    expect(infoOf(missing)).toEqual([Code.NotFound, "RESOURCE_NOT_FOUND"]);
    expect((await entities.getEntity({ id: "team-esp" })).entity?.id).toBe("team-esp");
  });

  test("100 unknown ids of 512 characters over gRPC are reported as missing", async () => {
    const components = createClient(PageComponentService, open(marquee.tokens.owner));
    const pageComponentIds = keys(100, (it) => `${"語".repeat(508)}${1_000 + it}`);
    const thrown = await components
      .batchGetPageComponents({ pageComponentIds })
      .catch(ConnectError.from);
    expect(infoOf(thrown)).toEqual([Code.NotFound, "RESOURCE_NOT_FOUND"]);
  });

  test("100 unknown ids that could have been chosen are all named", async () => {
    const components = createClient(PageComponentService, open(marquee.tokens.owner));
    const pageComponentIds = keys(100, (it) => `${"x".repeat(12)}${1_000 + it}`);
    const thrown = await components
      .batchGetPageComponents({ pageComponentIds })
      .catch(ConnectError.from);
    expect((thrown as ConnectError).findDetails(ErrorInfoSchema)[0]?.metadata.ids).toBe(
      pageComponentIds.join(","),
    );
  });

  test("a text in the place of a number, over every protocol", async () => {
    const message = { pageSize: "x".repeat(500_000) };
    const got = await list(EVENTS, message);
    expect(got.status).toBe(400);
    expect(got.text.length).toBeLessThan(10_000);
    const events = createClient(
      EventService,
      open(marquee.keys.public, { useBinaryFormat: false }),
    );
    const order = `${"x".repeat(4_000)} asc`;
    const thrown = await events.listEvents({ order }).catch(ConnectError.from);
    expect((thrown as ConnectError).code).toBe(Code.InvalidArgument);
    const rest = await send("GET", `${marquee.url}/cms/events/v1?${"y".repeat(10_000)}=1`, {
      token: marquee.tokens.owner,
    });
    expect([rest.status, rest.text.length < 10_000]).toEqual([400, true]);
  });
});

function infoOf(thrown: unknown): readonly [Code, string | undefined] {
  if (!(thrown instanceof ConnectError)) throw new Error("it was not rejected");
  return [thrown.code, thrown.findDetails(ErrorInfoSchema)[0]?.reason];
}

function keys<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
