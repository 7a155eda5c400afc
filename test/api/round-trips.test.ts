import { create, type DescMethod } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { EventService } from "../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { ReleaseService } from "../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import { WebhookSchema } from "../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { PageComponentService } from "../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { ReleaseSchema, ReleaseState } from "../../gen/svc/type/v1/release_pb.ts";
import { findWriteFields } from "../../src/api/steps/request-fields.ts";
import type { Server } from "../../src/server.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { openPostgresStore } from "../../src/storage/postgres/open.ts";
import { ENGINE } from "../harness/engine.ts";
import { type Marquee, startMarquee, startOver } from "../harness/marquee.ts";
import { RoundTrips } from "../harness/round-trips.ts";
import { sampleOf } from "./method-samples.ts";
import { callConnect, findMethods, procedureOf } from "./methods.ts";

/** The most responses that a write waits for between its begin and its commit. */
const MOST_WAITS = 6;

/** Records take those of an import, however many there are, and a change is read before it is taken back. */
const MOST_WAITS_OF: Readonly<Record<string, number>> = {
  ApplyRelease: 22,
  // The size of the project's runs, for those of actions and of webhooks, and each action: they may be large.
  CreateAnnotation: 9,
  // Its contents are deleted in steps: one that finds nothing is a statement. It waits for 26, and
  // for one more if the first of several that go together is back before the last of them has gone.
  DeleteProject: 27,
  RevertChange: 18,
  WriteRecords: 14,
};

const trips = new RoundTrips((text) => text.includes("read write"));

let marquee: Marquee;
let store: Store;
let server: Server;
beforeAll(async () => {
  if (ENGINE !== "postgres") return;
  marquee = await startMarquee();
  store = await openCounted(trips);
  // Announces every write of content, each as a run.
  const webhook = { id: "all", projectId: "worldcup", url: "https://receiver.example/" };
  await store
    .in("org-worldcup")
    .documents.webhook.create(create(WebhookSchema, webhook), { secret: "" });
  server = await startOver(store, { runsActions: false });
});
afterAll(async () => {
  await server?.close(1_000);
  await store?.close();
  await marquee?.close();
});

/** Opens a store over the database whose round trips are counted. */
function openCounted({ Client }: RoundTrips): Promise<Store> {
  const { address } = marquee;
  if (address.engine !== "postgres") throw new Error("the database is a file");
  return openPostgresStore(address, { Client });
}

const WRITES = (await findMethods()).filter((method) => findWriteFields(method) !== undefined);

async function callSample(method: DescMethod, extra: object): Promise<void> {
  const message = { ...(await sampleOf(marquee, method)), ...extra };
  trips.reset();
  const got = await callConnect(server.studioUrl, method, message, marquee.tokens.owner);
  expect(got.status, got.text).toBe(200);
}

describe.runIf(ENGINE === "postgres")(`a write waits for ${MOST_WAITS} responses at most:`, () => {
  test("there are writes", () => {
    expect(WRITES.length).toBeGreaterThan(60);
  });

  for (const method of WRITES) {
    const procedure = procedureOf(method);
    test(procedure, async () => {
      // The rehearsal reads what is cached, and a request id adds what it costs.
      await callSample(method, { validateOnly: true });
      const hasId = method.input.fields.some(({ name }) => name === "request_id");
      await callSample(method, hasId ? { requestId: procedure } : {});
      expect(trips.count).toBeLessThanOrEqual(MOST_WAITS_OF[method.name] ?? MOST_WAITS);
    });
  }
});

describe.runIf(ENGINE === "postgres")("applying a release waits no longer for more drafts", () => {
  /** Returns the responses that applying a release of so many updates and creations waits for. */
  async function countTrips(count: number): Promise<number> {
    const { documents } = marquee.store.in("org-worldcup");
    const id = `drafts-${count}`;
    const place = { organizationId: "org-worldcup", releaseId: id, projectId: "worldcup" };
    const release = { id, projectId: "worldcup", name: id, state: ReleaseState.OPEN };
    await documents.release.create(create(ReleaseSchema, release));
    for (let index = 0; index < count; index += 1) {
      const eventId = `${id}-${index}`;
      const event = create(EventSchema, { id: eventId, projectId: "worldcup" });
      const isUpdate = index % 2 === 1;
      const current = isUpdate ? await documents.event.create(event) : undefined;
      const toItem = (message: Event) => ({ kind: "event", message, line: 0 }) as const;
      await marquee.store.releaseItems.put({
        ...{ ...place, kind: "event", id: eventId, isForced: false, accountId: "account-owner" },
        ...(current && { base: toItem(current.value) }),
        baseRevision: current?.revision ?? 0,
        draft: toItem({ ...event, title: { en: "Applied" } }),
        updateTime: new Date(),
      });
    }
    await callSample(ReleaseService.method.applyRelease, { releaseId: id });
    return trips.count;
  }

  test("that are one message of a webhook", async () => {
    const [many, few] = [await countTrips(70), await countTrips(51)];
    // A few results may arrive while the next statement is prepared.
    expect(many - few).toBeLessThan(5);
  });
});

describe.runIf(ENGINE === "postgres")("a write takes", () => {
  const all = new RoundTrips(() => true);
  let counted: Store;
  let studio: Server;
  beforeAll(async () => {
    counted = await openCounted(all);
    studio = await startOver(counted, { runsActions: false });
  });
  afterAll(async () => {
    await studio.close(100);
    await counted.close();
  });

  for (const [method, most] of [
    [EventService.method.createEvent, 6],
    [EventService.method.updateEvent, 7],
    [PageComponentService.method.updatePageComponent, 9],
  ] as const) {
    test(`${most} round trips at most with its authorization: ${method.name}`, async () => {
      const sample = await sampleOf(marquee, method);
      const counts: number[] = [];
      // Others count what the process does beside it, and the first fills caches.
      for (let round = 0; round < 5; round += 1) {
        all.reset();
        const message = { ...sample, validateOnly: true };
        const got = await callConnect(studio.studioUrl, method, message, marquee.tokens.owner);
        expect(got.status, got.text).toBe(200);
        counts.push(all.count);
      }
      expect(Math.min(...counts)).toBeLessThanOrEqual(most);
    });
  }
});
