import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { beforeAll, describe, expect, test } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { EntityService as DeliveredEntities } from "../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { AnnotationTypeService } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import { EntityService } from "../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import { EventService as StudioEvents } from "../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { PageService } from "../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import { PageComponentService } from "../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import { metadataOf, refusal, send } from "../harness/http.ts";
import { authorize } from "../harness/transports.ts";
import { LONGEST_TURN, MACHINE, watchTurns } from "../harness/turns.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callDelivery } from "./delivery.ts";
import { callStudio, STUDIO_FACES } from "./studio.ts";

const marquee = await useMarquee();

const LONG = 250_000;

/** Runs something up to three times until it lets others through in time, and answers how it did. */
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
      const call = callStudio(marquee, EntityService, "Connect POST");
      const entity = { projectId: "worldcup", contentType: "long", fields: value };
      const got = await longestTurn(async () => {
        expect((await call("CreateEntity", { entity })).status).toBe(200);
      });
      expect(got).toBeLessThan(LONGEST_TURN);
    });
  }
});

describe("a filter over ten texts of 250 KB lets others through in time", () => {
  beforeAll(async () => {
    const call = callStudio(marquee, EntityService, "Connect POST");
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
        const got = await callDelivery(
          marquee,
          "svc.cda.cms.entity.v1.EntityService/ListEntities",
          { filter },
          "public",
          "POST",
        );
        expect([got.status, got.json.entities ?? []]).toEqual([200, []]);
      });
      expect(longest).toBeLessThan(LONGEST_TURN);
    });
  }

  test("what is there is found by a long text and by a short one", async () => {
    for (const pattern of [`*${"a".repeat(8_000)}*`, "*aaa*", `${"a".repeat(50)}*a`]) {
      const filter = `content_type: haystack and fields.hay: ${pattern}`;
      const got = await callDelivery(
        marquee,
        "svc.cda.cms.entity.v1.EntityService/ListEntities",
        { filter, pageSize: 2 },
        "public",
        "POST",
      );
      expect(got.json.entities).toHaveLength(2);
    }
  });
});

test("a filter of 7,900 zeros lets others through in time", async () => {
  const filter = `start_time > "2026-06-11T18:00:00.${"0".repeat(7_900)}1Z"`;
  const longest = await longestTurn(() =>
    callDelivery(
      marquee,
      "svc.cda.cms.event.v1.EventService/ListEvents",
      { filter, pageSize: 1 },
      "public",
      "POST",
    ),
  );
  expect(longest).toBeLessThan(6 * MACHINE);
});

describe("what is past a limit is refused before anything is looked up", () => {
  test("15,000 parameters of a page", async () => {
    const call = callStudio(marquee, PageService, "REST");
    const page = {
      projectId: "worldcup",
      slug: "many",
      parameters: keys(15_000, (it) => `p${it}`),
    };
    const longest = await longestTurn(async () => {
      const got = await call("CreatePage", { page });
      expect(refusal(got)).toEqual([400, "TOO_MANY_ITEMS"]);
      expect(metadataOf(got)).toEqual({ field: "page.parameters", size: "15000", limit: "100" });
      expect(got.json.message).toBe("page.parameters: must have at most 100 items, not 15000");
    });
    expect(longest).toBeLessThan(LONGEST_TURN);
  });

  test("a configuration of 15,000 actions, also of a type that does not exist", async () => {
    const call = callStudio(marquee, AnnotationTypeService, "REST");
    const configuration = Object.fromEntries(keys(15_000, (it) => [`action-${it}`, {}]));
    for (const annotationTypeId of ["type-goal", "no-such-type"]) {
      const got = await call("UpdateActionConfiguration", { annotationTypeId, configuration });
      expect(refusal(got)).toEqual([400, "JSON_TOO_LARGE"]);
      expect(metadataOf(got)).toMatchObject({ field: "configuration", limit: "1000" });
    }
  });

  test("a configuration of 999 actions is looked up", async () => {
    const call = callStudio(marquee, AnnotationTypeService, "REST");
    const configuration = Object.fromEntries(keys(999, (it) => [`action-${it}`, {}]));
    expect(
      refusal(
        await call("UpdateActionConfiguration", {
          annotationTypeId: "type-goal",
          configuration,
        }),
      ),
    ).toEqual([400, "ACTION_NOT_FOUND"]);
  });

  test("100,000 ids, on every face of management", async () => {
    const entityIds = keys(100_000, (it) => `entity-${it}`);
    for (const face of STUDIO_FACES) {
      const call = callStudio(marquee, StudioEvents, face);
      const event = { projectId: "worldcup", entityIds };
      const longest = await longestTurn(async () => {
        expect(refusal(await call("CreateEvent", { event }))).toEqual([400, "JSON_TOO_LARGE"]);
      });
      expect(longest).toBeLessThan(LONGEST_TURN);
    }
  });

  test("50,000 values of a session", async () => {
    const session = Object.fromEntries(keys(50_000, (it) => [`k${it}`, it]));
    const longest = await longestTurn(async () => {
      expect(
        refusal(
          await callDelivery(
            marquee,
            "svc.cda.ott.page.v1.PageService/GetPage",
            { slug: "home", session },
            "public",
            "POST",
          ),
        ),
      ).toEqual([400, "JSON_TOO_LARGE"]);
    });
    expect(longest).toBeLessThan(LONGEST_TURN);
  });

  test("a text as long as it may be counts by characters and not by UTF-16 units", async () => {
    const call = callStudio(marquee, EntityService, "REST");
    const create = (contentType: string) =>
      call("CreateEntity", { validateOnly: true, entity: { projectId: "worldcup", contentType } });
    expect((await create("🏀".repeat(4_096))).status).toBe(200);
    const got = await create("🏀".repeat(4_097));
    expect(refusal(got)).toEqual([400, "FIELD_TOO_LONG"]);
    expect(metadataOf(got)).toMatchObject({ size: "4097", limit: "4096" });
  });

  test("a key and a value of the parameters of a page that is read", async () => {
    const call = (parameters: Record<string, string>) =>
      callDelivery(
        marquee,
        "svc.cda.ott.page.v1.PageService/GetPage",
        { slug: "home", parameters },
        "public",
        "POST",
      );
    const texts: readonly (readonly [Record<string, string>, string | undefined])[] = [
      [{ a: "x".repeat(1_024) }, undefined],
      [{ a: "x".repeat(1_025) }, 'parameters["a"]'],
      [{ ["k".repeat(256)]: "x" }, undefined],
      [{ ["k".repeat(257)]: "x" }, "parameters"],
    ];
    for (const [parameters, field] of texts) {
      const got = await call(parameters);
      expect([got.status, got.status === 200 ? undefined : metadataOf(got)?.field]).toEqual([
        field === undefined ? 200 : 400,
        field,
      ]);
    }
  });
});

describe("an error repeats no more of a request than its reader takes", () => {
  const transport = () =>
    createGrpcTransport({
      baseUrl: marquee.url,
      interceptors: [authorize(marquee.tokens.owner)],
    });

  test("an id of 60 KB over gRPC is refused, and the connection goes on", async () => {
    const deliver = createGrpcTransport({
      baseUrl: marquee.url,
      interceptors: [authorize(marquee.keys.public)],
    });
    const entities = createClient(DeliveredEntities, deliver);
    const thrown = await entities.getEntity({ id: "é".repeat(30_000) }).catch(ConnectError.from);
    expect(infoOf(thrown)).toEqual([Code.InvalidArgument, "FIELD_TOO_LONG"]);
    const missing = await entities.getEntity({ id: "é".repeat(512) }).catch(ConnectError.from);
    expect(infoOf(missing)).toEqual([Code.NotFound, "RESOURCE_NOT_FOUND"]);
    expect((await entities.getEntity({ id: "team-esp" })).entity?.id).toBe("team-esp");
  });

  test("100 unknown ids of 512 characters over gRPC are answered as missing", async () => {
    const components = createClient(PageComponentService, transport());
    const pageComponentIds = keys(100, (it) => `${"語".repeat(508)}${1_000 + it}`);
    const thrown = await components
      .batchGetPageComponents({ pageComponentIds })
      .catch(ConnectError.from);
    expect(infoOf(thrown)).toEqual([Code.NotFound, "RESOURCE_NOT_FOUND"]);
  });

  test("100 unknown ids that could have been chosen are all named", async () => {
    const components = createClient(PageComponentService, transport());
    const pageComponentIds = keys(100, (it) => `${"x".repeat(60)}${1_000 + it}`);
    const thrown = await components
      .batchGetPageComponents({ pageComponentIds })
      .catch(ConnectError.from);
    expect((thrown as ConnectError).findDetails(ErrorInfoSchema)[0]?.metadata.ids).toBe(
      pageComponentIds.join(","),
    );
  });

  test("a text in the place of a number, on every face", async () => {
    const message = { pageSize: "x".repeat(500_000) };
    const got = await callDelivery(
      marquee,
      "svc.cda.cms.event.v1.EventService/ListEvents",
      message,
      "public",
      "POST",
    );
    expect(got.status).toBe(400);
    expect(got.text.length).toBeLessThan(10_000);
    const json = createGrpcTransport({
      ...{ baseUrl: marquee.url, useBinaryFormat: false },
      interceptors: [authorize(marquee.keys.public)],
    });
    const events = createClient(EventService, json);
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
  if (!(thrown instanceof ConnectError)) throw new Error("it was not refused");
  return [thrown.code, thrown.findDetails(ErrorInfoSchema)[0]?.reason];
}

function keys<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
