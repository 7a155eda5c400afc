import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { BindingSchema } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { RoleSchema } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { findWriteFields, readAccessRule } from "../../../src/api/steps/request-fields.ts";
import { PERMISSIONS } from "../../../src/domain/kinds.ts";
import { captureLog } from "../../harness/captured-log.ts";
import { rejection } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { findMethods } from "../methods.ts";
import { type IamCall, metadata, ok, useIam } from "./iam.ts";

const ORGANIZATION = "org-worldcup";
const IN_ORGANIZATION = { organization_id: ORGANIZATION };
const ON_ORGANIZATION = `${ORGANIZATION}/organization`;
const PLACES = [ON_ORGANIZATION, "worldcup/worldcup/project", "match-2026-104/worldcup/event"];
const OPERATING = "iam.organizations.create";

/**
 * The permissions that are reached for by every holder, on every resource, and as a dry run, too: the operators', two that
 * give others, and one of content. Every other one has one holder, and is reached for in earnest.
 */
const IN_EVERY_WAY = [OPERATING, "iam.bindings.create", "iam.roles.update", "cms.events.get"];

const { marquee, call, make } = await useIam();

/** An account that holds every permission of its organization but one, and what it could reach for. */
interface Climber {
  readonly missing: string;
  /** The account, whose role has the same id. */
  readonly id: string;
  readonly token: string;
  /** A role of the missing permission alone. */
  readonly holding: string;
  /** Accounts with that role, by the resource of their last binding. */
  readonly holders: readonly string[];
}

/** Stores a role past the Studio API, as nobody may create every one of these. */
async function storeRole(id: string, permissions: readonly string[]): Promise<void> {
  const { documents } = marquee.store.in(ORGANIZATION);
  const role = { id, organizationId: ORGANIZATION, name: id, permissions: [...permissions] };
  await documents.role.create(create(RoleSchema, role));
}

async function storeBinding(accountId: string, roleId: string, resourceKey: string) {
  const { documents } = marquee.store.in(ORGANIZATION);
  const place = { organizationId: ORGANIZATION, accountId, roleId, resourceKey };
  await documents.binding.create(create(BindingSchema, { id: randomUUID(), ...place }));
}

async function createClimber(missing: string): Promise<Climber> {
  const id = await make.account();
  await storeRole(
    id,
    [...PERMISSIONS].filter((name) => name !== missing && name !== OPERATING),
  );
  const token = await make.token(id);
  await storeBinding(id, id, ON_ORGANIZATION);
  // Only the built-in role makes operators.
  const holding = missing === OPERATING ? "operator" : `only-${missing}`;
  if (missing !== OPERATING) await storeRole(holding, [missing]);
  const holders = [];
  for (const place of IN_EVERY_WAY.includes(missing) ? PLACES : [ON_ORGANIZATION]) {
    const holder = await make.account();
    await storeBinding(holder, id, place);
    await storeBinding(holder, holding, place);
    holders.push(holder);
  }
  return { missing, id, token, holding, holders };
}

type Attempt = readonly [line: string, call: Pick<IamCall, "body" | "query">];

/** Makes a call, or rehearses it. */
function attempt(line: string, { body, query }: IamCall, token: string, validate_only: boolean) {
  if (line.startsWith("PATCH")) {
    return call(line, { token, body: { ...(body as object), validate_only } });
  }
  return call(line, { token, body, query: { ...query, validate_only } });
}

/** The calls by which a climber could gain the permission, by the method that gives rights. */
const GIVING: Readonly<Record<string, (climber: Climber) => readonly Attempt[]>> = {
  CreateRole: ({ missing }) => [
    ["POST /iam/roles/v1", { body: { ...IN_ORGANIZATION, name: "R", permissions: [missing] } }],
  ],
  UpdateRole: ({ missing, id }) =>
    [[missing], ["iam.roles.update", missing]].map((permissions) => [
      `PATCH /iam/roles/v1/${id}`,
      { body: { role: { permissions }, update_mask: "permissions" } },
    ]),
  CreateBinding: ({ id, holding, holders }) =>
    [id, ...holders].flatMap((account_id) =>
      PLACES.map((resource_key): Attempt => {
        const body = { ...IN_ORGANIZATION, role_id: holding, account_id, resource_key };
        return ["POST /iam/bindings/v1", { body }];
      }),
    ),
  CreateAccessToken: ({ holders }) =>
    holders.map((account_id) => ["POST /iam/access_tokens/v1", { body: { account_id } }]),
  CreateOrganization: ({ missing }) =>
    missing === OPERATING ? [["POST /iam/organizations/v1", { body: { name: "Mine" } }]] : [],
};

const QUOTAS = { quotas: { items: "1" } };
/** The calls by which a climber could gain quotas, which operators alone set. */
const SETTING: Readonly<Record<string, Attempt>> = {
  CreateProject: ["POST /iam/projects/v1", { body: { ...IN_ORGANIZATION, name: "P", ...QUOTAS } }],
  UpdateProject: [
    "PATCH /iam/projects/v1/worldcup",
    { body: { project: QUOTAS, update_mask: "quotas" } },
  ],
  UpdateOrganization: [
    `PATCH /iam/organizations/v1/${ORGANIZATION}`,
    { body: { organization: QUOTAS, update_mask: "name,quotas" } },
  ],
};

/** The methods that write what access depends on, and give nobody a permission. */
const GIVING_NOTHING = [
  ...["CreateAccount", "UpdateAccount", "DeleteAccount"],
  ...["DeleteBinding", "DeleteRole", "RevokeAccessToken"],
  ...["DeleteOrganization", "DeleteProject", "UpdateSignInIntegration"],
  // It opens accounts to people: staff-sign-in.test.ts attacks it.
  "UpdateStaffSignIn",
  // A key reads by the delivery interface, which knows no permissions.
  ...["CreateProjectKey", "UpdateProjectKey", "DeleteProjectKey"],
];

test("every method that writes what access depends on is attacked, or gives nothing", async () => {
  const writes = (await findMethods()).filter((method) => {
    const rule = readAccessRule(method);
    const isOfAccess = rule.case === "permission" && rule.value.name.startsWith("iam.");
    return isOfAccess && findWriteFields(method) !== undefined;
  });
  const want = [...Object.keys(GIVING), ...Object.keys(SETTING), ...GIVING_NOTHING];
  expect(writes.map(({ name }) => name).sort()).toEqual(want.sort());
});

describe("nobody who lacks a permission gains it", () => {
  for (const missing of PERMISSIONS) {
    test(`${missing}, by any method`, async () => {
      const climber = await createClimber(missing);
      const { token } = climber;
      const setting = missing === OPERATING ? Object.values(SETTING) : [];
      const attempts = [...Object.values(GIVING).flatMap((it) => it(climber)), ...setting];
      for (const [line, sent] of attempts) {
        for (const isDry of IN_EVERY_WAY.includes(missing) ? [true, false] : [false]) {
          const got = await attempt(line, sent, token, isDry);
          expect(got.status, `${line} ${got.text}`).toBe(403);
        }
      }
      for (const place of PLACES) {
        const policy = `/iam/auth/v1/policies/${place}/test_permissions`;
        const held = await call(`GET ${policy}`, { token, query: { permissions: missing } });
        expect(ok(held)).toEqual({ permissions: [] });
      }
      const denied = await call("POST /iam/organizations/v1", { token, body: { name: "Mine" } });
      expect(rejection(denied)).toEqual([403, "PERMISSION_DENIED"]);
    });
  }
});

describe("only the role operator makes operators", () => {
  test("which even an operator learns", async () => {
    const permissions = ["cms.events.get", OPERATING];
    const role = await make.role(["cms.events.get"]);
    const creation = { name: "R", organization_id: ORGANIZATION, permissions };
    const update = { role: { permissions }, update_mask: "permissions" };
    for (const got of [
      await call("POST /iam/roles/v1", { body: creation }),
      await call(`PATCH /iam/roles/v1/${role}`, { body: update }),
    ]) {
      expect(rejection(got)).toEqual([400, "PERMISSION_RESERVED"]);
      expect(metadata(got).field).toBe("role.permissions[1]");
    }
  });

  test("so that a stored role that names its permission gives it to nobody, and each start says so", async () => {
    await storeRole("king", ["cms.events.get", OPERATING]);
    const account = await make.account();
    await storeBinding(account, "king", ON_ORGANIZATION);
    const token = await make.token(account);
    const query = { permissions: `cms.events.get,${OPERATING}` };
    const policy = `/iam/auth/v1/policies/${ON_ORGANIZATION}/test_permissions`;
    expect(ok(await call(`GET ${policy}`, { token, query }))).toEqual({
      permissions: ["cms.events.get"],
    });
    const created = await call("POST /iam/organizations/v1", { token, body: { name: "Mine" } });
    expect(rejection(created)).toEqual([403, "PERMISSION_DENIED"]);

    const log = captureLog();
    const warnings = () => log.lines.filter(({ role }) => role === "king");
    const start = async () => (await startOver(marquee.store, { log: log.log })).close(1_000);
    await start();
    expect(warnings()).toMatchObject([{ level: 40, organization: ORGANIZATION, role: "king" }]);
    // What it names and does not give, every owner may take out of it.
    const owner = await make.account();
    await make.binding(owner, "owner");
    const body = { role: { permissions: ["cms.events.get"] }, update_mask: "permissions" };
    ok(await call("PATCH /iam/roles/v1/king", { token: await make.token(owner), body }));
    await start();
    expect(warnings()).toHaveLength(1);
  });
});

describe("nobody takes what they do not hold", () => {
  const TAKES = ["iam.accounts.delete", "iam.bindings.delete", "iam.roles.update"];
  const ALL_TAKES = [...TAKES, "iam.roles.delete"];

  for (const [name, theirs, place, want] of [
    ["the same", ALL_TAKES, ON_ORGANIZATION, 200],
    ["fewer permissions", ["iam.bindings.delete"], ON_ORGANIZATION, 200],
    ["one more", ["cms.events.get"], ON_ORGANIZATION, 403],
    ["one more on a project", ["cms.events.get"], "worldcup/worldcup/project", 403],
    ["one more on an event", ["cms.events.get"], "match-2026-104/worldcup/event", 403],
  ] as const) {
    test(`from an account with ${name}: ${want}`, async () => {
      const { token } = await make.caller(ALL_TAKES);
      const account = await make.account();
      const role = await make.role(theirs);
      const binding = await make.binding(account, role, place);
      const attempts: readonly (readonly [string, IamCall])[] = [
        [`DELETE /iam/bindings/v1/${binding}`, {}],
        [`DELETE /iam/accounts/v1/${account}`, { query: { force: true } }],
        [
          `PATCH /iam/roles/v1/${role}`,
          { body: { role: { permissions: ["iam.bindings.delete"] }, update_mask: "permissions" } },
        ],
        [`DELETE /iam/roles/v1/${role}`, { query: { force: true } }],
      ];
      for (const [line, sent] of attempts) {
        const dry = await attempt(line, sent, token, true);
        expect(dry.status, `${line} ${dry.text}`).toBe(want);
        if (want === 403) expect(rejection(dry)[1], line).toBe("PERMISSION_NOT_HELD");
      }
      const [line, sent] = attempts[1] ?? ["", {}];
      expect((await call(line, { token, ...sent })).status).toBe(want);
    });
  }

  test("an owner removes neither an operator nor their role", async () => {
    const owner = await make.account();
    await make.binding(owner, "owner");
    const token = await make.token(owner);
    const operator = await make.account();
    const binding = await make.binding(operator, "operator");
    const query = { force: true };
    const remove = `DELETE /iam/accounts/v1/${operator}`;
    for (const got of [
      await call(`DELETE /iam/bindings/v1/${binding}`, { token }),
      await call(remove, { token, query }),
    ]) {
      expect(rejection(got)).toEqual([403, "PERMISSION_NOT_HELD"]);
      expect(metadata(got).permissions).toBe(OPERATING);
    }
    ok(await call(remove, { query }));
  });

  test("but what an account holds in other organizations goes with it, without being named", async () => {
    const operator = await make.account();
    const binding = await make.binding(operator, "operator");
    const token = await make.token(operator);
    const query = { organization_id: "org-of-operator" };
    ok(await call("POST /iam/organizations/v1", { token, body: { name: "Theirs" }, query }));
    const other = await make.account("org-of-operator", token);
    const place = { account_id: other, role_id: "owner", ...query };
    const body = { ...place, resource_key: "org-of-operator/organization" };
    ok(await call("POST /iam/bindings/v1", { token, body }));
    ok(await call(`DELETE /iam/bindings/v1/${binding}`));
    ok(await call(`DELETE /iam/accounts/v1/${operator}`, { query: { force: true } }));
  });

  test("a leaked token is revoked whatever its account holds", async () => {
    const { token } = await make.caller(["iam.access_tokens.revoke"]);
    const owner = await make.account();
    await make.binding(owner, "owner");
    const body = { account_id: owner };
    const leaked = ok(await call("POST /iam/access_tokens/v1", { body }));
    const revoke = `POST /iam/access_tokens/v1/${leaked.access_token.id}:revoke`;
    ok(await call(revoke, { token, body: {} }));
    expect((await call("GET /iam/organizations/v1", { token: leaked.token })).status).toBe(401);
  });
});
