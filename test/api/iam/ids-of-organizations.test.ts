import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Server } from "../../../src/server.ts";
import { type FreshStore, openFresh } from "../../harness/fresh-store.ts";
import { type HttpResponse, reasonOf, rejection } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { callConnect, type JsonMessage, sendRequest, toProtocolRequests } from "../methods.ts";
import { MAKINGS, type Making, makeAll } from "../tenants/makings.ts";
import { createSides, type Side } from "../tenants/sides.ts";

/** Of what the first organization has and the second has not, and of what nobody has. */
const TAKEN = "taken-9";
const FREE = "freed-9";

let fresh: FreshStore;
let server: Server;
let north: Side;
let south: Side;
beforeAll(async () => {
  fresh = await openFresh();
  const sides = await createSides(fresh.store);
  const find = (project: string) => sides.find((it) => it.project === project) as Side;
  north = find("alder");
  south = find("cedar");
  const clock = () => new Date("2026-03-01T00:00:00Z");
  server = await startOver(fresh.store, { clock, runsActions: false });
  // What the resources refer to.
  for (const side of [north, south]) {
    await makeAll(server.studioUrl, MAKINGS, side, side.ownerToken);
  }
  for (const making of IN_ORGANIZATION) {
    const got = await callConnect(
      server.studioUrl,
      making.create,
      named(making, north, TAKEN),
      north.ownerToken,
    );
    expect([making.noun, got.status, got.text]).toEqual([making.noun, 200, got.text]);
  }
});
afterAll(async () => {
  await server.close(1_000);
  await fresh.close();
});

/** The ids of organizations and projects are those of the installation. */
const IN_ORGANIZATION = MAKINGS.filter(({ noun }) => noun !== "Organization" && noun !== "Project");

/** Makes the request that creates a resource under an id. */
function named(making: Making, side: Side, id: string): JsonMessage {
  const message = making.toMessage(side) as Record<string, Record<string, unknown>>;
  return {
    ...message,
    [making.idField]: id,
    ...(message.page && { page: { ...message.page, slug: id } }),
  } as JsonMessage;
}

/** What a response says, with what differs by nature and the id made equal. */
function normal({ status, text }: HttpResponse, id: string): unknown {
  const equal = text
    .replaceAll(id, "ID")
    // Connect repeats the details in binary form.
    .replaceAll(/"value":"[^"]+"/g, '"value":""')
    .replaceAll(/"(token|key|signingSecret)":"[^"]+"/g, '"$1":""')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UUID");
  return [status, equal];
}

test("every kind takes part", () => {
  expect(IN_ORGANIZATION.length).toBeGreaterThan(15);
});

for (const making of IN_ORGANIZATION) {
  describe(making.noun, () => {
    const ask = (method: Making["create"], message: JsonMessage, token = south.ownerToken) =>
      callConnect(server.studioUrl, method, message, token);

    test("no method that takes the id shows that another organization has it", async () => {
      for (const method of making.others) {
        const field = method.input.fields.find(
          ({ localName, name }) =>
            localName === making.idField || name === `${making.create.name}_ids`,
        );
        if (field === undefined) continue;
        const ids = (id: string) => ({
          [field.localName]: field.fieldKind === "list" ? [id] : id,
        });
        const got = await ask(method, ids(TAKEN));
        const want = await ask(method, ids(FREE));
        expect([method.name, normal(got, TAKEN)]).toEqual([method.name, normal(want, FREE)]);
        expect([method.name, got.status, reasonOf(got)]).toEqual([
          method.name,
          404,
          "RESOURCE_NOT_FOUND",
        ]);
      }
    });

    test("it is created as under a free id, also with validate_only", async () => {
      for (const validateOnly of [true, false]) {
        const got = await ask(making.create, { ...named(making, south, TAKEN), validateOnly });
        const want = await ask(making.create, {
          ...named(making, south, FREE),
          validateOnly: true,
        });
        expect(want.status, want.text).toBe(200);
        expect(normal(got, TAKEN)).toEqual(normal(want, FREE));
      }
    });

    test("both organizations have it, and neither reaches that of the other", async () => {
      const get = making.others.find(({ name }) => name === `Get${making.noun}`);
      if (get === undefined) return;
      const asked = { [making.idField]: TAKEN };
      const theirs = await ask(get, asked, north.ownerToken);
      const own = await ask(get, asked);
      expect([theirs.status, own.status]).toEqual([200, 200]);
      expect(own.text).not.toContain(north.project);
      expect(theirs.text).not.toContain(south.project);
    });

    test("in its own organization the id is taken", async () => {
      for (const validateOnly of [true, false]) {
        const message = { ...named(making, north, TAKEN), validateOnly };
        const rejected = await ask(making.create, message, north.ownerToken);
        expect(rejection(rejected)).toEqual([409, "ALREADY_EXISTS"]);
      }
    });

    test("x-organization-id finds it there with a role there, and with none nothing, over every protocol", async () => {
      const get = making.others.find(({ name }) => name === `Get${making.noun}`);
      if (get === undefined) return;
      const look = async (id: string, token: string, organization: string) => {
        const responses: HttpResponse[] = [];
        const headers = { "x-organization-id": organization };
        for (const request of toProtocolRequests(get, { [making.idField]: id })) {
          responses.push(await sendRequest(server.studioUrl, request, token, headers));
        }
        return responses;
      };
      for (const got of await look(TAKEN, north.ownerToken, north.organization)) {
        expect(got.status).toBe(200);
        expect(got.text).toContain(TAKEN);
      }
      for (const organization of [north.organization, "nowhere"]) {
        const got = await look(TAKEN, south.ownerToken, organization);
        const want = await look(FREE, south.ownerToken, south.organization);
        expect(got.map((it) => normal(it, TAKEN))).toEqual(want.map((it) => normal(it, FREE)));
        for (const each of got) expect(each.status).toBe(404);
      }
    });
  });
}

test("who makes an organization reaches its resources with the header, and by its projects without", async () => {
  const find = (noun: string) => MAKINGS.find((it) => it.noun === noun) as Making;
  const ask = ({ create }: Making, message: JsonMessage) =>
    callConnect(server.studioUrl, create, message, south.ownerToken);
  const made = await ask(find("Organization"), {
    organization: { name: "New" },
    organizationId: "new-org",
  });
  expect(made.status, made.text).toBe(200);
  const project = { project: { organizationId: "new-org", name: "P" }, projectId: "new-project" };
  expect((await ask(find("Project"), project)).status).toBe(200);
  const video = { video: { projectId: "new-project", name: "V" }, videoId: TAKEN };
  const created = await ask(find("Video"), video);
  expect(created.status, created.text).toBe(200);
  const { others } = find("Video");
  const get = others.find(({ name }) => name === "GetVideo") as Making["create"];
  const read = (headers: Record<string, string>) =>
    callConnect(server.studioUrl, get, { videoId: TAKEN }, south.ownerToken, headers);
  expect((await read({ "x-organization-id": "new-org" })).json.video.projectId).toBe("new-project");
  expect((await read({})).json.video.projectId).toBe(south.project);
});

test("the same request_id for an id of another organization is another request", async () => {
  const find = (noun: string) => MAKINGS.find((it) => it.noun === noun) as Making;
  const ask = (noun: string, message: JsonMessage, organization: string) =>
    callConnect(server.studioUrl, find(noun).create, message, south.ownerToken, {
      "x-organization-id": organization,
    });
  const organizationId = "second-org";
  await ask("Organization", { organization: { name: "Second" }, organizationId }, "");
  for (const id of [south.organization, organizationId]) {
    const account = { account: { organizationId: id, name: "Same" }, accountId: "same" };
    const got = await ask("Account", account, id);
    expect(got.status, got.text).toBe(200);
  }
  const issue = (organization: string) =>
    ask("AccessToken", { accessToken: { accountId: "same" }, requestId: "once" }, organization);
  const first = await issue(south.organization);
  expect(first.status, first.text).toBe(200);
  expect((await issue(south.organization)).json).toEqual(first.json);
  expect(rejection(await issue(organizationId))).toEqual([409, "REQUEST_ID_REUSED"]);
});
