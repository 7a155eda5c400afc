import { connect } from "node:net";
import { create } from "@bufbuild/protobuf";
import { afterAll, describe, expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { EXPORTED_KINDS } from "../../../src/domain/records/record.ts";
import { toPatience } from "../../../src/http/endpoints/records.ts";
import { HTTP_LIMITS } from "../../../src/http/listener/limits.ts";
import { metadataOf, rejection, send } from "../../harness/http.ts";
import { expectWithin, LONGEST_TURN, watchTurns } from "../../harness/turns.ts";
import { exportText } from "../../transfer/transfer.ts";
import { callIam, iamMaker } from "../iam/iam.ts";
import { flat } from "../widest-messages.ts";
import { useRecords } from "./records.ts";

const { marquee, call, write } = await useRecords();
const make = iamMaker(callIam(marquee));
const SANDBOX = "sandbox/sandbox/project";
const PATH = "cms/records/v1:read";

const read = (query: string, token = marquee.tokens.owner) =>
  send("GET", `${marquee.url}/${PATH}?${query}`, { token });
const kindsOf = (text: string) =>
  new Set(
    text
      .trim()
      .split("\n")
      .flatMap((line) => Object.keys(JSON.parse(line))),
  );

test.each([
  ["the records of a project", EXPORTED_KINDS],
  ["no records", ["entitlement"] as const],
])("%s are those of its export", async (_, kinds) => {
  const got = await read(`project_id=sandbox&kinds=${kinds}`);
  expect(got.status).toBe(200);
  expect(got.headers.get("content-type")).toBe("application/x-ndjson");
  expect(got.headers.get("cache-control")).toBe("private, no-store");
  expect(got.headers.get("x-request-id")).toMatch(/./);
  expect(got.text).toBe(await exportText(marquee.store, "sandbox", { kinds }));
});

test("records of some kinds are read in the order of an export, and written again", async () => {
  const got = await read("project_id=sandbox&kinds=page,%20event,entity");
  expect([...kindsOf(got.text)]).toEqual(["entity", "event", "page"]);
  const records = got.text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const again = await write(records);
  expect(again.status, again.text).toBe(200);
  expect(new Set(again.json.results.map(({ outcome }: { outcome: string }) => outcome))).toEqual(
    new Set(["RECORD_OUTCOME_UNCHANGED"]),
  );
});

test("no record has a secret", async () => {
  const body = { project_id: "sandbox", name: "A", webhook: { url: "https://a.example.com/" } };
  const made = await call("POST", "annotations/actions/v1?action_id=secretive", body);
  const secret = made.json.signing_secret;
  expect(secret).toMatch(/^whsec_/);
  const { text } = await read("project_id=sandbox");
  expect(text).toContain("secretive");
  expect(text).not.toContain(secret);
});

describe("a request is rejected", () => {
  test.each([
    ["", [400, "FIELD_REQUIRED"]],
    ["project_id=", [400, "FIELD_REQUIRED"]],
    ["project_id=sandbox&project_id=worldcup", [400, "FIELD_DUPLICATE"]],
    ["project_id=sandbox&kind=event", [400, "QUERY_UNKNOWN"]],
    ["project_id=sandbox&kinds=role", [400, "RECORD_KIND_INVALID"]],
    ["project_id=sandbox&kinds=events", [400, "RECORD_KIND_INVALID"]],
    ["project_id=none", [404, "RESOURCE_NOT_FOUND"]],
  ])("with the query '%s'", async (query, want) => {
    expect(rejection(await read(query))).toEqual(want);
  });

  test("without an access token, or with a key", async () => {
    const none = await send("GET", `${marquee.url}/${PATH}?project_id=sandbox`);
    expect(rejection(none)).toEqual([401, "CREDENTIALS_MISSING"]);
    const key = await read("project_id=sandbox", marquee.keys.sandbox);
    expect(rejection(key)).toEqual([401, "CREDENTIALS_WRONG_KIND"]);
  });

  test("by another method", async () => {
    expect((await call("POST", PATH, {})).status).toBe(405);
  });

  test("of an account of another organization, also if it names this one", async () => {
    const { outsider } = marquee.tokens;
    expect(rejection(await read("project_id=sandbox", outsider))).toEqual([
      404,
      "RESOURCE_NOT_FOUND",
    ]);
    const headers = { "x-organization-id": "org-worldcup" };
    const url = `${marquee.url}/${PATH}?project_id=sandbox`;
    const named = await send("GET", url, { token: outsider, headers });
    expect(rejection(named)).toEqual([404, "RESOURCE_NOT_FOUND"]);
  });

  test("without the permission to list a kind that it reads", async () => {
    const { token } = await make.caller(["cms.events.list", "iam.sso.get"], SANDBOX);
    const got = await read("project_id=sandbox", token);
    expect(rejection(got)).toEqual([403, "PERMISSION_DENIED"]);
    expect(metadataOf(got)).toMatchObject({ permission: "iam.organizations.get" });
    const pages = await read("project_id=sandbox&kinds=event,page", token);
    expect(metadataOf(pages)).toMatchObject({ permission: "ott.pages.list", resource: SANDBOX });
    const own = await read("project_id=sandbox&kinds=event,sign_in_integration", token);
    expect(own.status).toBe(200);
    expect([...kindsOf(own.text)]).toContain("event");
  });
});

describe("readers that do not read", () => {
  const sockets: ReturnType<typeof connect>[] = [];
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
  });

  /** Asks for the records of a project, and reads only the first bytes. */
  function readSlowly(): Promise<void> {
    const { hostname, port } = new URL(marquee.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on("error", () => {});
    const token = marquee.tokens.owner;
    socket.write(
      `GET /${PATH}?project_id=worldcup HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n\r\n`,
    );
    return new Promise((resolve) =>
      socket.once("data", () => {
        socket.pause();
        resolve();
      }),
    );
  }

  test("occupy two places, until they disconnect", async () => {
    // More than the buffers of a connection.
    const description = { en: "x".repeat(60_000) };
    const events = Array.from({ length: 180 }, (_, index) =>
      create(EventSchema, { id: `large-${index}`, projectId: "worldcup", description }),
    );
    await marquee.store.importRecords([
      events.map((message, line) => ({ kind: "event", message, line })),
    ]);
    for (let reader = 0; reader < HTTP_LIMITS.recordReadsPerOrganization; reader += 1)
      await readSlowly();
    const third = await read("project_id=worldcup");
    expect(rejection(third)).toEqual([429, "STREAMS_EXHAUSTED"]);
    expect(third.headers.get("retry-after")).toBe("5");
    const organization_id = (
      await callIam(marquee)("GET /iam/organizations/v1", {
        token: marquee.tokens.outsider,
      })
    ).json.organizations[0].id;
    await callIam(marquee)("POST /iam/projects/v1", {
      ...{ token: marquee.tokens.outsider, query: { project_id: "others" } },
      body: { organization_id, name: "others" },
    });
    expect((await read("project_id=others", marquee.tokens.outsider)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await read("project_id=sandbox&kinds=page")).status).toBe(200);
  });
});

test("others are let through in time while large records are read", async () => {
  for (let number = 0; number < 16; number += 1) {
    const event = { id: `wide-${number}`, fields: flat(4_800) };
    await call("POST", "cms/records/v1:write", { project_id: "sandbox", records: [{ event }] });
  }
  let least = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < 3; tried += 1) {
    const { longest } = await watchTurns(() => read("project_id=sandbox&kinds=event"));
    least = Math.min(least, longest);
  }
  expectWithin(least, LONGEST_TURN / 4);
});

test("a reader is waited for as long as it takes 64 KiB a second, and 10 seconds more", () => {
  const { recordReadRate, stallTimeout } = HTTP_LIMITS;
  const minute = 60 * recordReadRate;
  const patienceOf = (sent: number, waited: number) => toPatience(sent, waited, stallTimeout);
  expect(patienceOf(0, 0)).toBe(10_000);
  expect(patienceOf(minute, 60_000)).toBe(10_000);
  expect(patienceOf(minute, 69_999)).toBe(1);
  expect(patienceOf(minute, 70_000)).toBe(0);
  expect(patienceOf(2 * minute, 60_000)).toBe(10_000);
});
