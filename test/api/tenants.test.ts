import type { DescMethod } from "@bufbuild/protobuf";
import type { Kysely } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventService } from "../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import type { Schema } from "../../gen/tables.ts";
import type { Server } from "../../src/server.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { openDatabase } from "../harness/database.ts";
import { type FreshStore, openFresh } from "../harness/fresh-store.ts";
import { reasonOf } from "../harness/http.ts";
import { startOver } from "../harness/marquee.ts";
import { useUnlimitedTime } from "../harness/unlimited-time.ts";
import { exportText } from "../transfer/transfer.ts";
import { callConnect } from "./methods.ts";
import { MAKINGS, type Making, METHODS, makeAll } from "./tenants/makings.ts";
import { createSides, fill, SHARED, type Side } from "./tenants/sides.ts";
import { listChanges, readRows, type StoredRows } from "./tenants/stored-rows.ts";

useUnlimitedTime();
let fresh: FreshStore;
let store: Store;
let database: Kysely<Schema>;
let server: Server;
let sides: readonly Side[] = [];
beforeAll(async () => {
  fresh = await openFresh();
  store = fresh.store;
  database = openDatabase(fresh.address);
  sides = await createSides(store);
  const clock = () => new Date("2026-03-01T00:00:00Z");
  server = await startOver(store, { clock, limits: { cacheMib: 8 }, runsActions: false });
});
afterAll(async () => {
  await server.close(1_000);
  await database.destroy();
  await fresh.close();
});

/** Who walks, over which kinds, and whom that must not touch. */
interface Walk {
  readonly side: Side;
  readonly token: string;
  readonly makings: readonly Making[];
  readonly others: readonly Side[];
}

function createWalk(project: string, isOrganizational: boolean): Walk {
  const side = sides.find((it) => it.project === project);
  if (side === undefined) throw new Error(`there is no ${project}`);
  const isFar = (it: Side) => it.organization !== side.organization;
  return {
    side,
    token: isOrganizational ? side.ownerToken : side.token,
    makings: MAKINGS.filter((it) => it.isOrganizational === isOrganizational),
    others: sides.filter((it) => (isOrganizational ? isFar(it) : it !== side)),
  };
}

/** Reads every row that the others have. */
function readOthers({ side, others }: Walk): Promise<StoredRows> {
  const organizations = new Set(others.map((it) => it.organization));
  organizations.delete(side.organization);
  return readRows(database, {
    projects: others.map((it) => it.project),
    organizations: [...organizations],
  });
}

/** Holds that a response names nothing of the others. */
function expectSilent({ side, others }: Walk, what: string, text: string): void {
  const words = others.flatMap(({ project, organization }) =>
    organization === side.organization ? [project] : [project, organization],
  );
  const named = words.filter((word) => new RegExp(`\\b${word}\\b`).test(text));
  expect([what, named, named.length === 0 ? "" : text]).toEqual([what, [], ""]);
}

const GET_EVENT = EventService.method.getEvent;
const DELIVERY = METHODS.filter((it) => it.parent.typeName.startsWith("svc.cda."));

/** Makes the request to a delivery method whose ids `idOf` gives by the type of what is asked for. */
function toDeliveryMessage({ name: method, input }: DescMethod, idOf: (type: string) => string) {
  const noun = method.replace(/^(Get|List)/, "").replace(/Items$/, "");
  const type = noun.replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
  const ids = input.fields.flatMap(({ name, localName }): [string, string][] => {
    if (name === "id") return [[localName, idOf(type)]];
    return name.endsWith("_id") ? [[localName, idOf(name.slice(0, -"_id".length))]] : [];
  });
  return {
    ...Object.fromEntries(ids),
    ...("parameters" in input.field && { parameters: { id: idOf("event") } }),
    ...("sessionKey" in input.field && { sessionKey: "session" }),
    ...("includeItems" in input.field && { includeItems: true }),
  };
}

/** Reads what delivery shows to the preview key of a side, of its own and under the shared id. */
async function readDelivery({ project, previewKey }: Side): Promise<string[]> {
  const responses: string[] = [];
  for (const method of DELIVERY) {
    for (const idOf of [() => SHARED, (type: string) => `${project}-${type}-00`]) {
      const message = toDeliveryMessage(method, idOf);
      const got = await callConnect(server.deliveryUrl, method, message, previewKey);
      // What is signed is never the same twice.
      const isSigned = method.idempotency !== 1;
      const text = isSigned ? String(reasonOf(got)) : got.text;
      responses.push(`${method.name} ${JSON.stringify(message)}: ${got.status} ${text}`);
    }
  }
  return responses;
}

function find(making: Making, verb: RegExp): DescMethod[] {
  return making.others.filter(({ name }) => verb.test(name));
}

/** Deletes all that was made: some go with others, and some have to wait for others. */
async function removeAll({ makings, token }: Walk): Promise<void> {
  let waiting = makings.flatMap((it) =>
    find(it, new RegExp(`^Delete${it.noun}$`)).map((method) => ({ ...it, method })),
  );
  for (let left = waiting.length + 1; waiting.length < left; ) {
    left = waiting.length;
    const statuses = await Promise.all(
      waiting.map((it) => remove(it.method, it.idField, token).then(({ status }) => status)),
    );
    waiting = waiting.filter((_, index) => statuses[index] !== 404);
  }
  expect(waiting.map(({ noun }) => noun)).toEqual([]);
}

function remove(method: DescMethod, idField: string, token: string) {
  const force = "force" in method.input.field && { force: true };
  return callConnect(server.studioUrl, method, { [idField]: SHARED, ...force }, token);
}

for (const isOrganizational of [false, true]) {
  const projects = isOrganizational ? ["alder", "cedar"] : ["alder", "birch", "cedar"];
  for (const project of projects) {
    describe(`what ${project} makes in its ${isOrganizational ? "organization" : "project"} under an id that all refer to`, () => {
      let walk: Walk;
      let before: StoredRows;
      let delivered: string[][];
      const rejected = new Map<string, string>();
      /** The walk of another, who may learn nothing of this side. */
      const backOf = (other: Side): Walk => ({ ...walk, side: other, others: [walk.side] });
      const make = () => makeAll(server.studioUrl, walk.makings, walk.side, walk.token);

      beforeAll(async () => {
        for (const side of sides) await fill(store, side as never);
        walk = createWalk(project, isOrganizational);
        before = await readOthers(walk);
        delivered = await Promise.all(walk.others.map(readDelivery));
      });

      afterAll(() => removeAll(walk));

      test("is made without a word of the others, of whom those of its organization cannot make it again", async () => {
        for (const got of await make()) expectSilent(walk, "create", got.text);
        for (const other of walk.others) {
          const back = createWalk(other.project, isOrganizational);
          for (const making of walk.makings) {
            // In another organization the id is free, and what it refers to may be missing.
            const isFar =
              other.organization !== walk.side.organization &&
              !["Organization", "Project"].includes(making.noun);
            const message = { ...making.toMessage(other), validateOnly: isFar };
            const got = await callConnect(server.studioUrl, making.create, message, back.token);
            if (isFar) expect([making.noun, reasonOf(got)]).not.toContain("ALREADY_EXISTS");
            else expect([making.noun, got.status === 200]).toEqual([making.noun, false]);
            expectSilent({ ...back, others: [walk.side] }, making.noun, got.text);
          }
        }
        expect(listChanges(before, await readOthers(walk))).toEqual([]);
      });

      test("is read, listed and exported without a word of the others", async () => {
        const { side, token } = walk;
        for (const making of walk.makings) {
          for (const method of find(making, /^(Get|List)/)) {
            const message = {
              ...{ [making.idField]: SHARED, projectId: side.project, pageId: SHARED },
              ...{ organizationId: side.organization, accountId: SHARED, [making.idField]: SHARED },
            };
            const known = Object.entries(message).filter(([name]) => name in method.input.field);
            const sent = Object.fromEntries(known);
            const got = await callConnect(server.studioUrl, method, sent, token);
            const { name } = method;
            expect([name, got.status, got.text.slice(0, 1)]).toEqual([name, 200, "{"]);
            expectSilent(walk, method.name, got.text);
          }
        }
        if (!isOrganizational) {
          expectSilent(walk, "export", await exportText(store, side.project));
          for (const text of await readDelivery(side)) expectSilent(walk, "delivery", text);
        }
      });

      test("is open to whom it was bound before it was made, and to nobody bound to its id elsewhere", async () => {
        const bindable = walk.makings.filter((it) => !isOrganizational || it.noun === "Project");
        for (const making of bindable) {
          const [method] = find(making, new RegExp(`^Get${making.noun}$`));
          if (method === undefined) throw new Error(`there is no Get${making.noun}`);
          const get = ({ boundToken }: Side) =>
            callConnect(server.studioUrl, method, { [making.idField]: SHARED }, boundToken);
          expect([making.noun, (await get(walk.side)).status]).toEqual([making.noun, 200]);
          for (const other of walk.others) {
            const got = await get(other);
            expect([making.noun, got.status]).toEqual([making.noun, 404]);
            expectSilent(backOf(other), making.noun, got.text);
          }
        }
        // A binding with the shared role on their whole project: the role is not theirs.
        for (const { project, boundToken } of walk.others) {
          const message = { eventId: `${project}-event-00` };
          const { status } = await callConnect(server.studioUrl, GET_EVENT, message, boundToken);
          expect(status).toBe(403);
        }
      });

      test("is not what the others get who refer to its id", async () => {
        for (const other of walk.others) {
          const { token } = createWalk(other.project, isOrganizational);
          for (const making of walk.makings) {
            const message = { ...making.toMessage(other), [making.idField]: "free" };
            const dry = { ...message, validateOnly: true };
            const got = await callConnect(server.studioUrl, making.create, dry, token);
            const refers = JSON.stringify(message).includes(SHARED);
            const reason = reasonOf(got) ?? "";
            const want = refers ? expect.stringMatching(/NOT_FOUND$/) : "";
            expect([making.noun, reason]).toEqual([making.noun, want]);
            expectSilent(backOf(other), making.noun, got.text);
          }
        }
      });

      test("is not seen by the others in delivery or in an export", async () => {
        for (const [index, other] of walk.others.entries()) {
          expect(await readDelivery(other)).toEqual(delivered[index]);
          expectSilent(backOf(other), "export", await exportText(store, other.project));
        }
      });

      test("is kept, without force, by what is its own and by nothing else", async () => {
        for (const making of walk.makings) {
          for (const method of find(making, new RegExp(`^Delete${making.noun}$`))) {
            const message = { [making.idField]: SHARED, validateOnly: true };
            const got = await callConnect(server.studioUrl, method, message, walk.token);
            expectSilent(walk, method.name, got.text);
            if (got.status === 200) continue;
            expect([method.name, reasonOf(got)]).toEqual([method.name, "STILL_REFERRED_TO"]);
            rejected.set(making.noun, got.text);
          }
        }
        const want = isOrganizational
          ? ["Account", "Role"]
          : ["AnnotationType", "CreativeWork", "Entity", "Event", "Offer", "Page", "Video"];
        expect([...rejected.keys()]).toEqual(expect.arrayContaining(want));
        if (!isOrganizational) {
          expect(rejected.get("Video")).toContain(`annotation/${project}-annotation-00`);
          expect(rejected.get("Entity")).toContain(`event/${project}-event-00`);
        }
      });

      test("goes with what is its own and with nothing else", async () => {
        for (const making of walk.makings) {
          for (const method of find(making, new RegExp(`^Delete${making.noun}$`))) {
            let got = await remove(method, making.idField, walk.token);
            if (got.status === 404) {
              // It went with another.
              await make();
              got = await remove(method, making.idField, walk.token);
            }
            expectSilent(walk, method.name, got.text);
            if (got.status !== 200) expect(reasonOf(got)).toBe("STILL_REFERRED_TO");
            const changes = listChanges(before, await readOthers(walk));
            expect([method.name, changes]).toEqual([method.name, []]);
          }
        }
      });
    });
  }
}
