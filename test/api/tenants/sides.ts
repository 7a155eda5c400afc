import { create, fromJson, type Message } from "@bufbuild/protobuf";
import type { Entitlement } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { type Account, AccountSchema } from "../../../gen/svc/studio/iam/account/v1/account_pb.ts";
import { BindingSchema } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { ProjectKeyKind } from "../../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import type { SignInIntegration } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { RecordSchema } from "../../../gen/svc/transfer/v1/record_pb.ts";
import { issueAccessToken, issueProjectKey } from "../../../src/auth/issue.ts";
import { DomainError } from "../../../src/domain/base/errors.ts";
import { openRecord, RECORD_KINDS, type RecordItem } from "../../../src/domain/records/record.ts";
import type { DocumentStore } from "../../../src/storage/contract/document-store.ts";
import type { OrganizationStore, Store } from "../../../src/storage/contract/store.ts";
import { createFilledLines, ORGANIZATION, PROJECT } from "../../transfer/filled-records.ts";

/** The id that every side refers to, and that each makes in its turn. */
export const SHARED = "shared";

/** A project with its own credentials. Its name begins the id of everything that it holds. */
export interface Side {
  readonly project: string;
  readonly organization: string;
  /** The token of an account that owns the project and nothing else. */
  readonly token: string;
  /** The token of an account that owns only what has the shared id in the project. */
  readonly boundToken: string;
  /** The token of an account that owns the organization, and may make others. */
  readonly ownerToken: string;
  readonly previewKey: string;
}

/** Two projects of one organization, and one of another. */
export const PLACES = [
  { project: "alder", organization: "north" },
  { project: "birch", organization: "north" },
  { project: "cedar", organization: "south" },
] as const;

type Place = (typeof PLACES)[number];

/** Makes the projects with everything in them, and the credentials to each. */
export async function createSides(store: Store): Promise<Side[]> {
  for (const place of PLACES) await fill(store, place);
  const owners = new Map<string, string>();
  for (const organization of new Set(PLACES.map((it) => it.organization))) {
    const key = `${organization}/organization`;
    owners.set(
      organization,
      await issue(store, { organization, name: organization, roles: ["owner", "operator"], key }),
    );
  }
  const sides: Side[] = [];
  for (const { project, organization } of PLACES) {
    const key = `${project}/${project}/project`;
    const token = await issue(store, { organization, name: project, roles: ["owner"], key });
    const kind = ProjectKeyKind.PREVIEW;
    const issued = await issueProjectKey(
      store.in(organization).documents,
      { id: `${project}-key`, projectId: project, kind, name: "" },
      new Date(),
    );
    const bound = { id: `${project}-bound`, accountId: boundAccount(project), name: "" };
    sides.push({
      ...{ project, organization, token },
      boundToken: (await issueAccessToken(store.in(organization).documents, bound, new Date()))
        .secret,
      ownerToken: owners.get(organization) ?? "",
      previewKey: issued.secret,
    });
  }
  return sides;
}

/**
 * Makes a resource of every kind of record, filled from the descriptors, in which every text that may be
 * anything is the shared id: whatever refers to something by an id refers to that. It is written past the
 * checks of the interfaces, so that all can be named before it exists. What is there stays as it is.
 */
export async function fill(store: Store, place: Place): Promise<void> {
  const lines = createFilledLines().map((line, index) => toRecord(line, place, index));
  for (const record of [...lines, ...createBindings(place)]) {
    await write(store.in(place.organization), store, record).catch((error) => {
      if (!(error instanceof DomainError) || error.reason !== "ALREADY_EXISTS") throw error;
    });
  }
}

async function write(own: OrganizationStore, store: Store, record: RecordItem): Promise<unknown> {
  const { kind, message, pageId = "", billingTransactionId = "" } = record;
  switch (kind) {
    case "sign_in_integration": {
      const value = message as SignInIntegration;
      return store.signInIntegrations.put(value.projectId, () => value);
    }
    case "entitlement":
      return own.entitlementAdmin.create(message as Entitlement);
    case "page_component":
      return own.pageComponents.create(message as PageComponent, { pageId }, () => {});
    default: {
      const documents = own.documents[kind] as unknown as DocumentStore<Message, [object]>;
      // What is kept beside a document; a kind takes its own and knows no other.
      const secret = { secret: "whsec_x" };
      const extra = { action: secret, webhook: secret, transaction: { billingTransactionId } };
      return documents.create(message, extra[kind as "action"]);
    }
  }
}

/** What the filled records hold as free text, ending in the number of a list's element or not. */
const FREE_TEXT = /"ä\u{1f3c6}(?: (\d))?$/u;

const OWN_ID = new RegExp(`^(${RECORD_KINDS.join("|")})-\\d\\d$`);

function toRecord(line: string, { project, organization }: Place, index: number): RecordItem {
  const json = JSON.parse(line, (_, value: unknown) => {
    if (isFree(value)) return { ...value, [SHARED]: value[9] };
    if (typeof value !== "string") return value;
    if (value === ORGANIZATION) return organization;
    if (OWN_ID.test(value)) return `${project}-${value}`;
    const [free, count = "1"] = FREE_TEXT.exec(value) ?? [];
    if (free !== undefined) return count === "1" ? SHARED : `${SHARED}-${count}`;
    return value.replaceAll(PROJECT, project);
  });
  const item = openRecord(fromJson(RecordSchema, json), index);
  if (item === undefined) throw new Error(`${line} holds nothing`);
  if (item.kind === "account") {
    // No two accounts of an organization have one e-mail, or one holder.
    const account = item.message as Account;
    account.email = `${project}-${account.email}`;
    if (account.lastSignIn) account.lastSignIn.subject = `${project}-${index}`;
  }
  return item;
}

/** An object whose keys may be anything: the filled records give each the key `9`. */
function isFree(value: unknown): value is { readonly 9: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && "9" in value;
}

/** Names the account that has roles on single resources and nowhere else. */
function boundAccount(project: string): string {
  return `${project}-bound`;
}

/** Makes bindings on single resources of every type that do not exist yet, and one of such a role. */
function createBindings({ project, organization: organizationId }: Place): RecordItem[] {
  const types = RECORD_KINDS.filter((it) => it !== "organization" && it !== "project");
  const keys = [
    ...[...types, "project_key", "release", "webhook"].map(
      (type) => `${SHARED}/${project}/${type}`,
    ),
    `${SHARED}/${SHARED}/project`,
  ];
  const accountId = boundAccount(project);
  const account = create(AccountSchema, { id: accountId, organizationId, name: "Bound" });
  const bind = (id: string, roleId: string, resourceKey: string) =>
    create(BindingSchema, {
      ...{ id: `${project}-${id}`, organizationId, accountId, roleId, resourceKey },
    });
  const bindings = [
    ...keys.map((key) => bind(key.replaceAll("/", "."), "owner", key)),
    bind("shared-role", SHARED, `${project}/${project}/project`),
  ];
  return [
    { kind: "account", message: account, line: 0 },
    ...bindings.map((message) => ({ kind: "binding", message, line: 0 }) as const),
  ];
}

/** Who an account is, and which roles it has on the resource of a key. */
interface Keeper {
  readonly organization: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly key: string;
}

/** Makes an account and a token of it. */
async function issue(store: Store, { organization, name, roles, key }: Keeper): Promise<string> {
  const { documents } = store.in(organization);
  const accountId = `${name}-keeper`;
  await documents.account.create(
    create(AccountSchema, { id: accountId, organizationId: organization, name }),
  );
  for (const roleId of roles) {
    const fields = { organizationId: organization, accountId, roleId, resourceKey: key };
    await documents.binding.create(
      create(BindingSchema, { id: `${accountId}-${roleId}`, ...fields }),
    );
  }
  const token = { id: `${accountId}-token`, accountId, name };
  return (await issueAccessToken(documents, token, new Date())).secret;
}
