import { beforeAll, describe, expect, test } from "vitest";
import { AuthService } from "../../../gen/svc/cda/iam/auth/v1/auth_service_pb.ts";
import { isStudioService } from "../../../src/domain/base/descriptors.ts";
import { rejection, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { sampleOf } from "../method-samples.ts";
import { callConnect, findMethods, type JsonMessage, procedureOf } from "../methods.ts";

const marquee = await useMarquee();

const paged = (await findMethods()).filter(({ input }) => input.field.pageToken !== undefined);
const lists = paged.filter(
  ({ parent, input }) => isStudioService(parent) && input.field.filter !== undefined,
);

/** The lists of which the demo holds two things or more. */
let walked = 0;

describe("a page token of a list holds for the same question only", () => {
  for (const method of paged) {
    const { field } = method.input;
    // What of a question its token holds for.
    const filter = isTransactions(method.name) ? 'billing_transaction_id: "x"' : "not id: nothing";
    const others: readonly JsonMessage[] = Object.entries({
      ...{ filter, order: "id desc", search: "spain", excludeGeoblocked: true },
    }).flatMap(([name, value]) => (name in field ? [{ [name]: value }] : []));
    if (others.length === 0) continue;
    test(procedureOf(method), async () => {
      const { filter: _, ...sample } = await sampleOf(marquee, method);
      const token = isStudioService(method.parent) ? marquee.tokens.owner : marquee.keys.public;
      const list = (more: JsonMessage) =>
        callConnect(marquee.url, method, { ...sample, pageSize: 1, ...more }, token);
      const first = await list({});
      expect(first.status, first.text).toBe(200);
      const pageToken = first.json.nextPageToken;
      if (!pageToken) return;
      walked += 1;
      expect((await list({ pageToken })).status).toBe(200);
      expect((await list({ pageToken, pageSize: 2 })).status).toBe(200);
      for (const other of others) {
        expect((await list(other)).status).toBe(200);
        const got = await list({ pageToken, ...other });
        expect([other, ...rejection(got)]).toEqual([other, 400, "PAGE_TOKEN_INVALID"]);
      }
    });
  }

  test("enough of them have a second page", () => {
    expect(lists.length).toBeGreaterThan(15);
    expect(walked).toBeGreaterThan(15);
  });
});

describe("a page token of a delivery list holds for every public key and viewer of its project", () => {
  let others: Readonly<Record<"second" | "viewer", string>>;
  beforeAll(async () => {
    const made = await send("POST", `${marquee.url}/iam/project_keys/v1`, {
      token: marquee.tokens.owner,
      body: { project_id: "worldcup", name: "second", kind: "PROJECT_KEY_KIND_PUBLIC" },
    });
    const { exchangeToken } = AuthService.method;
    const message = await sampleOf(marquee, exchangeToken);
    const { json } = await callConnect(marquee.url, exchangeToken, message, marquee.keys.public);
    others = { second: made.json.key, viewer: json.token };
  });
  let read = 0;
  for (const method of paged.filter(({ parent }) => !isStudioService(parent))) {
    const procedure = procedureOf(method);
    // Its list is a viewer's own.
    if (procedure.endsWith("/ListEntitlements")) continue;
    test(procedure, async () => {
      const sample = { ...(await sampleOf(marquee, method)), pageSize: 1 };
      const list = (token: string, more: JsonMessage = {}) =>
        callConnect(marquee.url, method, { ...sample, ...more }, token);
      const { public: key } = marquee.keys;
      const first = await list(key);
      expect(first.status, first.text).toBe(200);
      const pageToken = first.json.nextPageToken;
      if (!pageToken) return;
      read += 1;
      const want = await list(key, { pageToken });
      expect(want.status).toBe(200);
      for (const token of [others.second, others.viewer]) {
        expect((await list(token, { pageToken })).text).toBe(want.text);
      }
    });
  }
  test("enough of them have a second page", () => expect(read).toBeGreaterThan(5));
});

// That lists are in their orders, resource-lists.test.ts and the contract of the store hold.
test("the fields of orders are those that most lists have, but for these lists", async () => {
  const most = "create_time, update_time, id";
  const orders: Record<string, string> = {};
  for (const method of lists.filter(({ input }) => input.field.order !== undefined)) {
    const message = { ...(await sampleOf(marquee, method)), order: "no_such_field asc" };
    const { json } = await callConnect(marquee.url, method, message, marquee.tokens.owner);
    const [, names = ""] = /with one of the fields (.*)$/.exec(json.message) ?? [];
    if (names !== most) orders[method.name] = names;
  }
  expect(orders).toEqual({
    ListAccessTokens: "create_time, id",
    ListActionRuns: "create_time, id",
    ListAnnotations: "offset, id",
    ListBindings: "create_time, id",
    ListCreativeWorks: `release_time, ${most}, title.<language>`,
    ListEntities: `${most}, title.<language>`,
    ListEntitlements: "start_time, id",
    ListEvents: `start_time, ${most}, title.<language>`,
    ListOffers: `position, ${most}`,
    ListReleases: "create_time, update_time, apply_time, id",
    ListRulesets: "id",
  });
});

function isTransactions(name: string): boolean {
  return name.endsWith("ListTransactions");
}
