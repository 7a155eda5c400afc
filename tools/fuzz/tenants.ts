import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { AccountSchema } from "../../gen/svc/studio/iam/account/v1/account_pb.ts";
import { BindingSchema } from "../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { ProjectKeyKind } from "../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { ReleaseState } from "../../gen/svc/type/v1/release_pb.ts";
import { issueAccessToken, issueProjectKey } from "../../src/auth/issue.ts";
import { LONGEST_SCHEDULE } from "../../src/domain/releases/release.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { createFilledLines, ORGANIZATION, PROJECT } from "../../test/transfer/filled-records.ts";
import { importText, toText } from "../../test/transfer/transfer.ts";

/** A tenant with a resource of every kind, and the credentials of its owner. */
export interface Tenant {
  readonly organizationId: string;
  readonly projectId: string;
  /** A word in every text of the tenant's resources; no other tenant ever sends it. */
  readonly canary: string;
  /** The ids of its resources by kind, as other tenants may have seen them. */
  readonly knownIds: ReadonlyMap<string, readonly string[]>;
  /** Ends the ids that no other tenant ever sends. */
  readonly secretSuffix: string;
  /** Those ids by kind. */
  readonly secretIds: ReadonlyMap<string, readonly string[]>;
  /** Ends the ids that other tenants may have seen. */
  readonly suffix: string;
  /** The account of the tenant's owner. */
  readonly accountId: string;
  readonly accessToken: string;
  readonly publicKey: string;
  readonly previewKey: string;
}

/** Creates two tenants with equal resources under ids of their own in an empty store. */
export async function createTenants(store: Store): Promise<readonly [Tenant, Tenant]> {
  return [await createTenant(store, "red"), await createTenant(store, "blue")];
}

/** The event that each release creates. */
export const DRAFTED = "drafted";

/** The states of the releases of a tenant, an open one and one that is scheduled long after a run. */
const RELEASES = [
  { id: "release-00", state: ReleaseState.OPEN },
  {
    id: "release-01",
    state: ReleaseState.SCHEDULED,
    applyTime: timestampFromDate(new Date(Date.now() + LONGEST_SCHEDULE / 2)),
  },
];

async function createTenant(store: Store, name: string): Promise<Tenant> {
  const [known, secret] = [`-${name}`, `-${name}-hidden`];
  const canary = `canary-${name}`;
  // A second copy of the resources of the project, whose ids the other tenant never learns.
  const lines = createFilledLines().map((line) => JSON.parse(line) as Line);
  const copy = lines.filter((line) => !SINGLE.includes(kindOf(line)));
  const records = [
    ...lines.map((line) => rename(line, known, { name, canary })),
    ...copy.map((line) => rename(line, secret, { name, canary })),
  ];
  await importText(store, toText(records));
  const organizationId = ORGANIZATION + known;
  const projectId = PROJECT + known;
  const now = new Date();
  const accountId = `owner${known}`;
  const account = { id: accountId, organizationId, name: canary };
  await store.in(organizationId).documents.account.create(create(AccountSchema, account));
  const resourceKey = `${organizationId}/organization`;
  for (const roleId of ["owner", "operator"]) {
    const binding = { id: `${roleId}-binding${known}`, organizationId, accountId, resourceKey };
    await store
      .in(organizationId)
      .documents.binding.create(create(BindingSchema, { ...binding, roleId }));
  }
  const token = { id: `token${known}`, accountId, name: canary };
  for (const suffix of [known, secret]) {
    for (const { id, ...state } of RELEASES) {
      const releaseId = id + suffix;
      const { release } = store.in(organizationId).documents;
      await release.update(releaseId, ({ value }) => ({ ...value, ...state }));
      const draft = { id: DRAFTED, projectId, title: { en: canary } };
      await store.releaseItems.put({
        ...{ organizationId, releaseId, projectId, kind: "event", id: DRAFTED },
        ...{ draft: { kind: "event", message: create(EventSchema, draft), line: 0 } },
        ...{ isForced: false, accountId, updateTime: now },
      });
    }
  }
  const issueKey = async (kind: ProjectKeyKind) => {
    const key = { id: randomUUID(), projectId, kind, name: canary };
    return (await issueProjectKey(store.in(organizationId).documents, key, now)).secret;
  };
  return {
    ...{ organizationId, projectId, accountId, canary, suffix: known, secretSuffix: secret },
    knownIds: idsByKind(records, known),
    secretIds: idsByKind(records, secret),
    accessToken: (await issueAccessToken(store.in(organizationId).documents, token, now)).secret,
    publicKey: await issueKey(ProjectKeyKind.PUBLIC),
    previewKey: await issueKey(ProjectKeyKind.PREVIEW),
  };
}

type Line = Readonly<Record<string, unknown>>;

/** Kinds that a tenant has once; its roles and accounts exist once too, so that bindings are not doubled. */
const SINGLE = ["organization", "project", "sign_in_integration", "role", "account", "binding"];

const kindOf = (line: Line) => Object.keys(line)[0] ?? "";

/** Ids that the filled records are made of: `event-00`, `org-1`, `project-1`, `slug-00`. */
const ID = /^(org-1|project-1|[a-z_]+-\d\d)$/;
const KEY = /^project-1\/project-1\/project$/;
/** The mark in each text of the filled records. */
const MARK = "ä\u{1f3c6}";

/**
 * Gives each id a suffix, and each text the canary. The suffix of a kind that a tenant has once is the same in every
 * copy.
 */
function rename(line: Line, suffix: string, { name, canary }: { name: string; canary: string }) {
  const visitText = (text: string): string => {
    if (KEY.test(text)) return text.replaceAll(PROJECT, `${PROJECT}-${name}`);
    if (!ID.test(text)) return text.replace(MARK, `${MARK} ${canary}`);
    const isShared = /^(org|project|role|account)-/.test(text);
    return text + (isShared ? `-${name}` : suffix);
  };
  const visit = (value: unknown): unknown => {
    if (typeof value === "string") return visitText(value);
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, it]) => [visitText(key), visit(it)]));
  };
  return visit(line) as Line;
}

function idsByKind(records: readonly Line[], suffix: string): ReadonlyMap<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const record of records) {
    const kind = kindOf(record);
    const id = findId(record[kind]);
    if (id?.endsWith(suffix)) ids.set(kind, [...(ids.get(kind) ?? []), id]);
  }
  return ids;
}

/** Finds a record's id; page components and transactions lie one level below. */
function findId(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if ("id" in value && typeof value.id === "string") return value.id;
  return Object.values(value).map(findId).find(Boolean);
}
