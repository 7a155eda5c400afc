import { randomUUID } from "node:crypto";
import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { access } from "../../../gen/svc/options/v1/access_pb.ts";
import { issueAccessToken } from "../../../src/auth/issue.ts";
import { createToken } from "../../../src/auth/token.ts";
import { revokeAccessToken } from "../../../src/domain/access/access-token.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { openDatabase } from "../../harness/database.ts";
import { type HttpResponse, metadataOf, reasonOf } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { override } from "../../harness/override.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { type MethodSample, methodSamples, sampleOf } from "../method-samples.ts";
import {
  findMethods,
  type ProtocolRequest,
  procedureOf,
  sendRequest,
  toProtocolRequests,
} from "../methods.ts";

/** The same service over the same data, in which every role has lost its permissions. */
const marquee = await useMarquee();
const database = openDatabase(marquee.address);
const expired = await issueToken({ expireTime: new Date(Date.now() - 1) });
const revoked = await issueToken({ isRevoked: true });
const powerless = await startOver(withoutPermissions(marquee.store), {
  identityIssuers: [marquee.identityProvider],
});
afterAll(async () => {
  await database.destroy();
  await powerless.close(1_000);
});

const METHODS = await findMethods();

/** The writes that move no revision: of a draft, and of samples that are what is stored. */
const UNCHANGED = new Set([
  "DeleteReleaseItem",
  "ReorderPageComponents",
  "UpdateSignInIntegration",
]);

test("methods are found, and each has a sample request, and no sample is left over", () => {
  expect(METHODS.length).toBeGreaterThanOrEqual(10);
  expect(Object.keys(methodSamples).sort()).toEqual(METHODS.map(procedureOf).sort());
});

interface ProtocolResponse {
  readonly request: ProtocolRequest;
  readonly got: HttpResponse;
}

function findSample(method: DescMethod): MethodSample {
  const sample = methodSamples[procedureOf(method)];
  if (sample === undefined) throw new Error(`${procedureOf(method)} has no sample request`);
  return sample;
}

async function sendSample(
  request: ProtocolRequest,
  { cookie }: MethodSample,
  headers: Readonly<Record<string, string>>,
  url = marquee.url,
): Promise<ProtocolResponse> {
  const all = { ...headers, ...(cookie && { cookie: await cookie(marquee) }) };
  return { request, got: await sendRequest(url, request, undefined, all) };
}

/** Sends a method's sample over every protocol that it has. */
async function callAll(
  method: DescMethod,
  headers: Readonly<Record<string, string>>,
  url = marquee.url,
): Promise<ProtocolResponse[]> {
  const sample = findSample(method);
  const responses = [];
  for (let protocol = 0, protocols = 1; protocol < protocols; protocol += 1) {
    // Anew for each protocol: what one has deleted is not there for the next.
    const requests = toProtocolRequests(method, await sampleOf(marquee, method));
    protocols = requests.length;
    const request = requests[protocol];
    if (request === undefined) throw new Error(`there is no protocol ${protocol} any more`);
    responses.push(await sendSample(request, sample, headers, url));
  }
  return responses;
}

/** What has been written: how many calls have, and how far all counters of changes are. */
interface Written {
  readonly calls: number;
  readonly changes: number;
}

async function readWritten(): Promise<Written> {
  const { rows } = await sql<Written>`
    select
      (select count(*) from audit_entry) as calls,
      (select sum(change_count) from
        (select change_count from project
          union all select change_count from organization
          union all select change_count from retired_counter) as counters) as changes
  `.execute(database);
  const [{ calls = 0, changes = 0 } = {}] = rows;
  return { calls: Number(calls), changes: Number(changes) };
}

/** Holds that rejected calls have written nothing; a sample may make what it is about by itself. */
async function expectNothingWritten(
  before: Written,
  { message }: Partial<MethodSample> = {},
): Promise<void> {
  const after = await readWritten();
  expect(after.calls).toBe(before.calls);
  if (typeof message !== "function") expect(after).toEqual(before);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const isForProjects = (method: DescMethod) => getOption(method, access).rule.case === "projectKey";

for (const method of METHODS) {
  describe(procedureOf(method), () => {
    const sample = methodSamples[procedureOf(method)];
    const { rule } = getOption(method, access);
    const forProjects = isForProjects(method);
    const right = () => (forProjects ? marquee.keys.public : marquee.tokens.owner);
    const kind = forProjects ? "public" : "access";

    // The forms of the header, test/pipeline/authenticate.test.ts tries.
    const rejected: readonly (readonly [string, () => Record<string, string>, string])[] = [
      ["no credentials", () => ({}), "CREDENTIALS_MISSING"],
      ["a token without a scheme", () => ({ authorization: right() }), "CREDENTIALS_MALFORMED"],
      ["an unknown token", () => bearer(createToken(kind)), "CREDENTIALS_INVALID"],
      ["a token with a changed end", () => bearer(`${right()}x`), "CREDENTIALS_INVALID"],
      ...(forProjects
        ? ([
            ["an access token", () => bearer(marquee.tokens.owner), "CREDENTIALS_WRONG_KIND"],
          ] as const)
        : ([
            ["an expired token", () => bearer(expired), "CREDENTIALS_INVALID"],
            ["a revoked token", () => bearer(revoked), "CREDENTIALS_INVALID"],
            ["a public key", () => bearer(marquee.keys.public), "CREDENTIALS_WRONG_KIND"],
            ["a preview key", () => bearer(marquee.keys.preview), "CREDENTIALS_WRONG_KIND"],
          ] as const)),
    ];
    test("credentials that do not hold: 401 over every protocol, and nothing is written", async () => {
      const own = findSample(method);
      // Made once: as nobody is let in, it stays what it is.
      const requests = toProtocolRequests(method, await sampleOf(marquee, method));
      const before = await readWritten();
      // They take turns at the protocols, which begin with another one for the next method.
      const first = METHODS.indexOf(method);
      const responses = await Promise.all(
        rejected.map(async ([what, headers, reason], index) => {
          const request = requests[(first + index) % requests.length] ?? expect.fail();
          return { what, reason, ...(await sendSample(request, own, headers())) };
        }),
      );
      expect(new Set(responses.map(({ request }) => request.protocol)).size).toBe(requests.length);
      for (const { what, reason, request, got } of responses) {
        const { protocol } = request;
        expect([what, protocol, got.status, reasonOf(got)]).toEqual([what, protocol, 401, reason]);
        expect(got.headers.get("www-authenticate"), what).toBe("Bearer");
        expect(got.text, what).not.toContain(right());
      }
      expect(await readWritten()).toEqual(before);
    });

    test("another tenant's credentials reach nothing, and nothing is written", async () => {
      const before = await readWritten();
      const token = forProjects ? marquee.keys.sandbox : marquee.tokens.outsider;
      for (const { request, got } of await callAll(method, bearer(token))) {
        if (sample?.foreign === undefined) {
          expect([request.protocol, got.status]).toEqual([request.protocol, 404]);
          expect(reasonOf(got)).toBe("RESOURCE_NOT_FOUND");
        } else {
          expect(got.text).toContain(sample.foreign.shows);
          expect(got.text).not.toContain(sample.foreign.hides);
        }
      }
      await expectNothingWritten(before, sample);
    });

    if (rule.case === "permission") {
      test("a role without the permission: 403 with permission and resource, nothing written", async () => {
        const before = await readWritten();
        const tries = [[marquee.tokens.owner, powerless.studioUrl] as const];
        // Who has a role in a project alone knows nothing of the organization's accounts and roles.
        const isInProject = sample?.resource?.split("/")[1] === "worldcup";
        if (sample?.isWrite && isInProject) tries.push([marquee.tokens.viewer, marquee.url]);
        for (const [token, url] of tries) {
          for (const { request, got } of await callAll(method, bearer(token), url)) {
            expect([request.protocol, got.status]).toEqual([request.protocol, 403]);
            expect(reasonOf(got)).toBe("PERMISSION_DENIED");
            expect(metadataOf(got)).toEqual({
              permission: rule.value.name,
              resource: sample?.resource,
            });
          }
        }
        await expectNothingWritten(before, sample);
      });
    }

    test("the right credentials succeed over every protocol, writes are written", async () => {
      const before = await readWritten();
      const responses = await callAll(method, bearer(right()));
      for (const { request, got } of responses) {
        expect([request.protocol, got.status, got.text.slice(0, 1)]).toEqual([
          request.protocol,
          200,
          "{",
        ]);
      }
      // A check is a dry run.
      if (!sample?.isWrite || method.name === "CheckRelease")
        return expectNothingWritten(before, sample);
      const after = await readWritten();
      expect(after.calls).toBe(before.calls + responses.length);
      if (!UNCHANGED.has(method.name)) expect(after.changes).toBeGreaterThan(before.changes);
    });
  });
}

async function issueToken({ expireTime, isRevoked }: { expireTime?: Date; isRevoked?: boolean }) {
  const { documents } = marquee.store.in("org-worldcup");
  const id = randomUUID();
  const now = new Date();
  const owned = { id, accountId: "account-owner", name: "test" };
  const token = expireTime ? { ...owned, expireTime: timestampFromDate(expireTime) } : owned;
  const { secret } = await issueAccessToken(documents, token, now);
  if (isRevoked) {
    await documents.access_token.update(id, ({ value }) => revokeAccessToken(value, now));
  }
  return secret;
}

function withoutPermissions(store: Store): Store {
  const weak = override(store.access, {
    listBindings: async (id) =>
      (await store.access.listBindings(id)).map((it) => ({ ...it, permissions: new Set() })),
  });
  return override(store, { access: weak });
}
