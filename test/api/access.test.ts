import { randomUUID } from "node:crypto";
import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { access } from "../../gen/svc/options/v1/access_pb.ts";
import { createToken, hashToken } from "../../src/auth/token.ts";
import { type Server, startServer } from "../../src/server.ts";
import type { AccessStore, Store } from "../../src/storage/store.ts";
import { type HttpAnswer, metadataOf, reasonOf, send } from "../harness/http.ts";
import { type Marquee, silentLog, startMarquee } from "../harness/marquee.ts";
import { methodSamples } from "./method-samples.ts";
import { type FaceRequest, findMethods, procedureOf, toFaceRequests } from "./methods.ts";
import { patchComponent } from "./page-components.ts";

let marquee: Marquee;
/** The same service over the same data, in which every role has lost its permissions. */
let powerless: Server;
let expired: string;
let revoked: string;
beforeAll(async () => {
  marquee = await startMarquee();
  expired = await issueToken({ expireTime: new Date(Date.now() - 1) });
  revoked = await issueToken({ isRevoked: true });
  powerless = await startServer({
    store: withoutPermissions(marquee.store),
    log: silentLog(),
    clock: () => new Date(),
    identityIssuers: [marquee.identityProvider],
    reflection: false,
    listen: { host: "127.0.0.1", port: 0 },
  });
});
afterAll(async () => {
  await powerless.close(1_000);
  await marquee.close();
});

const METHODS = await findMethods();

test("methods are found, and each has a sample request, and no sample is left over", () => {
  expect(METHODS.length).toBeGreaterThanOrEqual(10);
  expect(Object.keys(methodSamples).sort()).toEqual(METHODS.map(procedureOf).sort());
});

/** Sends a method's sample on every face that it has. */
async function callAll(
  method: DescMethod,
  headers: Readonly<Record<string, string>>,
  url = marquee.url,
): Promise<{ readonly request: FaceRequest; readonly got: HttpAnswer }[]> {
  const sample = methodSamples[procedureOf(method)];
  if (sample === undefined) throw new Error(`${procedureOf(method)} has no sample request`);
  const { message, cookie } = sample;
  const createRequests = async () =>
    toFaceRequests(method, typeof message === "function" ? await message(marquee) : message);
  const answers = [];
  for (const { face } of await createRequests()) {
    // Anew for each face: what one has deleted is not there for the next.
    const request = (await createRequests()).find((it) => it.face === face);
    if (request === undefined) throw new Error(`there is no face ${face} any more`);
    const { path, body } = request;
    const got = await send(request.method, url + path, {
      headers: { ...request.headers, ...headers, ...(cookie && { cookie: await cookie(marquee) }) },
      ...(body !== undefined && { body }),
    });
    answers.push({ request, got });
  }
  return answers;
}

/** A revision of the project: any write in it counts one further. */
async function countWrites(): Promise<number> {
  const got = await patchComponent(marquee, "footer-home", { name: "Footer" }, "name");
  return Number.parseInt(got.headers.get("etag")?.slice(1, -1) ?? "", 36);
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

    const refused: readonly (readonly [string, () => Record<string, string>, string])[] = [
      ["no credentials", () => ({}), "CREDENTIALS_MISSING"],
      ["empty credentials", () => ({ authorization: "" }), "CREDENTIALS_MISSING"],
      ["another scheme", () => ({ authorization: "Basic YTpi" }), "CREDENTIALS_MALFORMED"],
      ["a scheme alone", () => ({ authorization: "Bearer" }), "CREDENTIALS_MALFORMED"],
      ["a token without a scheme", () => ({ authorization: right() }), "CREDENTIALS_MALFORMED"],
      ["two tokens", () => bearer(`${right()} ${right()}`), "CREDENTIALS_MALFORMED"],
      ["a token of no known form", () => bearer("secret"), "CREDENTIALS_INVALID"],
      ["an unknown token", () => bearer(createToken(kind)), "CREDENTIALS_INVALID"],
      ["a token with a changed end", () => bearer(`${right()}x`), "CREDENTIALS_INVALID"],
      ...(forProjects
        ? ([
            ["an access token", () => bearer(marquee.tokens.owner), "CREDENTIALS_WRONG_KIND"],
            [
              "a key under another prefix",
              () => bearer(right().replace("mqp_", "mqv_")),
              "CREDENTIALS_INVALID",
            ],
          ] as const)
        : ([
            ["an expired token", () => bearer(expired), "CREDENTIALS_INVALID"],
            ["a revoked token", () => bearer(revoked), "CREDENTIALS_INVALID"],
            ["a public key", () => bearer(marquee.keys.public), "CREDENTIALS_WRONG_KIND"],
            ["a preview key", () => bearer(marquee.keys.preview), "CREDENTIALS_WRONG_KIND"],
          ] as const)),
    ];
    for (const [what, headers, reason] of refused) {
      test(`${what}: 401 on every face, and nothing is written`, async () => {
        const before = await countWrites();
        for (const { request, got } of await callAll(method, headers())) {
          expect([request.face, got.status, reasonOf(got)]).toEqual([request.face, 401, reason]);
          expect(got.headers.get("www-authenticate")).toBe("Bearer");
          expect(got.text).not.toContain(right());
        }
        expect(await countWrites()).toBe(before + 1);
      });
    }

    test("another tenant's credentials reach nothing, and nothing is written", async () => {
      const before = await countWrites();
      const token = forProjects ? marquee.keys.sandbox : marquee.tokens.outsider;
      for (const { request, got } of await callAll(method, bearer(token))) {
        if (sample?.foreign === undefined) {
          expect([request.face, got.status]).toEqual([request.face, 404]);
          expect(reasonOf(got)).toBe("RESOURCE_NOT_FOUND");
        } else {
          expect(got.text).toContain(sample.foreign.shows);
          expect(got.text).not.toContain(sample.foreign.hides);
        }
      }
      expect(await countWrites()).toBe(before + 1);
    });

    if (rule.case === "permission") {
      test("a role without the permission: 403 with permission and resource, nothing written", async () => {
        const before = await countWrites();
        const tries = [[marquee.tokens.editor, powerless.studioUrl] as const];
        if (sample?.isWrite) tries.push([marquee.tokens.viewer, marquee.url]);
        for (const [token, url] of tries) {
          for (const { request, got } of await callAll(method, bearer(token), url)) {
            expect([request.face, got.status]).toEqual([request.face, 403]);
            expect(reasonOf(got)).toBe("PERMISSION_DENIED");
            expect(metadataOf(got)).toEqual({
              permission: rule.value.name,
              resource: sample?.resource,
            });
          }
        }
        expect(await countWrites()).toBe(before + 1);
      });
    }

    test("the right credentials succeed on every face, writes are written", async () => {
      const before = await countWrites();
      const answers = await callAll(method, bearer(right()));
      for (const { request, got } of answers) {
        expect([request.face, got.status, got.text.slice(0, 1)]).toEqual([request.face, 200, "{"]);
      }
      const writes = sample?.isWrite ? answers.length : 0;
      expect(await countWrites()).toBe(before + 1 + writes);
    });
  });
}

async function issueToken({ expireTime, isRevoked }: { expireTime?: Date; isRevoked?: boolean }) {
  const token = createToken("access");
  const id = randomUUID();
  const { access: tokens } = marquee.store;
  await tokens.createAccessToken({
    ...{ id, accountId: "account-owner", name: "test", hash: hashToken(token) },
    createTime: new Date(),
    ...(expireTime && { expireTime }),
  });
  if (isRevoked) await tokens.revokeAccessToken(id, new Date());
  return token;
}

function withoutPermissions(store: Store): Store {
  const weak: AccessStore = {
    ...store.access,
    listBindings: async (id) =>
      (await store.access.listBindings(id)).map((it) => ({ ...it, permissions: new Set() })),
  };
  return { ...store, access: weak };
}
