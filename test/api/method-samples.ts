import { randomUUID } from "node:crypto";
import {
  create,
  type DescMethod,
  fromJson,
  getOption,
  type JsonObject,
  type Message,
} from "@bufbuild/protobuf";
import { TimestampSchema, timestampNow } from "@bufbuild/protobuf/wkt";
import { EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { Entitlement } from "../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { access } from "../../gen/svc/options/v1/access_pb.ts";
import {
  ActionRunSchema,
  ActionRunState,
} from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { ChangeSchema, ChangeVerb } from "../../gen/svc/studio/cms/change/v1/change_pb.ts";
import { BindingSchema } from "../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import {
  type Transaction,
  TransactionStatus,
} from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { PageComponent } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { ConflictPolicy, ReleaseSchema, ReleaseState } from "../../gen/svc/type/v1/release_pb.ts";
import { createToken, hashToken } from "../../src/auth/token.ts";
import { openViewerTokens } from "../../src/auth/viewer-token.ts";
import { DomainError } from "../../src/domain/base/errors.ts";
import { isDelivered, isKindName, type KindName, kindOf } from "../../src/domain/kinds.ts";
import { wrapRecord } from "../../src/domain/records/record.ts";
import type { DocumentStore } from "../../src/storage/contract/document-store.ts";
import { findExample } from "../../tools/openapi/example.ts";
import type { Marquee } from "../harness/marquee.ts";
import { findMethods, type JsonMessage, procedureOf } from "./methods.ts";

/** A request of one method that succeeds, and what others get who send the same. */
export interface MethodSample {
  readonly message: JsonMessage | ((marquee: Marquee) => Promise<JsonMessage>);
  /** Makes the Cookie header that comes along; absent: none does. */
  readonly cookie?: (marquee: Marquee) => Promise<string>;
  /** The key of the resource that the permission is needed on; absent where none is. */
  readonly resource?: string;
  /** True where the role `viewer` lacks the permission. */
  readonly isWrite?: boolean;
  /** What the response to another tenant's credentials holds and lacks, where it is not NOT_FOUND. */
  readonly foreign?: { readonly shows: string; readonly hides: string };
}

/** The resources that examples are about, if neither the demo has them nor their ids name their kinds. */
const MADE: Readonly<Record<string, KindName>> = {
  "account-sample": "account",
  "binding-sample": "binding",
  "key-sample": "project_key",
  "role-sample": "role",
  "sample-cancel": "transaction",
  "sample-capture": "transaction",
  "sample-refund": "transaction",
  "sample-run": "action_run",
  "sample-type": "annotation_type",
  "token-sample": "access_token",
};

/** Returns the kind of a resource that is made for a request unless it is there, as a call before may have deleted it. */
function kindMade(id: string): KindName | undefined {
  const [, named = ""] = /^(?:deletable|sample)-(.+)$/.exec(id) ?? [];
  return isKindName(named) ? named : MADE[id];
}

/**
 * What another tenant sees of the methods that do not find the resource, and what it does not see. Default for lists of
 * kinds that are delivered by standard methods: nothing.
 */
const FOREIGN: Readonly<Record<string, readonly [shows: string, hides: string]>> = {
  "svc.cda.annotations.annotation.v1.AnnotationService/ListAnnotations": ["{}", "worldcup"],
  "svc.cda.cms.creative_work.v1.CreativeWorkService/ListCreativeWorks": [
    "sandbox-recap",
    "worldcup",
  ],
  "svc.cda.cms.entity.v1.EntityService/ListEntities": ["sandbox-team", "worldcup"],
  "svc.cda.cms.event.v1.EventService/ListEvents": ["sandbox-match-1", "worldcup"],
  "svc.cda.iam.auth.v1.AuthService/ExchangeToken": ["AUDIENCE_NOT_ALLOWED", "expireTime"],
  "svc.cda.monetization.entitlement.v1.EntitlementService/ListEntitlements": [
    "AUDIENCE_NOT_ALLOWED",
    "worldcup",
  ],
  "svc.cda.monetization.offer.v1.OfferService/ListOffers": ["sandbox-offer-day", "worldcup"],
  "svc.cda.ott.page.v1.PageService/ListPages": ["sandbox-page-home", "worldcup"],
  "svc.cda.streaming.playback.v1.PlaybackService/StopPlayback": ["{}", "worldcup"],
  "svc.studio.iam.auth.v1.AuthService/GetMe": ["org-elsewhere", "worldcup"],
  "svc.studio.iam.auth.v1.AuthService/TestPermissions": ["{", "iam.sso.update"],
  "svc.studio.iam.organization.v1.OrganizationService/CreateOrganization": [
    "PERMISSION_DENIED",
    "worldcup",
  ],
  "svc.studio.iam.organization.v1.OrganizationService/ListOrganizations": [
    "org-elsewhere",
    "worldcup",
  ],
};

const METHODS = new Map((await findMethods()).map((method) => [procedureOf(method), method]));

/** The examples of the OpenAPI document: a request of every method, about resources of the demo or made for it. */
const EXAMPLES: Readonly<Record<string, JsonMessage>> = Object.fromEntries(
  Array.from(METHODS, ([name, method]) => [name, findExample(method)] as const).flatMap(
    ([name, example]) => (example === undefined ? [] : [[name, example]]),
  ),
);

/** A sample of every method under `svc.`; a method without one fails `access.test.ts`. */
export const methodSamples: Readonly<Record<string, MethodSample>> = Object.fromEntries(
  Object.entries(EXAMPLES).map(([name, example]) => [name, toSample(name, example)]),
);

/** Makes the message of a method's sample. */
export async function sampleOf(marquee: Marquee, method: DescMethod): Promise<JsonMessage> {
  const { message = {} } = methodSamples[procedureOf(method)] ?? {};
  return typeof message === "function" ? message(marquee) : message;
}

function toSample(name: string, example: JsonMessage): MethodSample {
  const method = METHODS.get(name);
  const [, api, , kind = ""] = name.split(".");
  const isList = api === "cda" && isKindName(kind) && isDelivered(kind) && name.includes("/List");
  const [shows, hides] = FOREIGN[name] ?? (isList ? ["{}", "worldcup"] : []);
  const isPermitted = method && getOption(method, access).rule.case === "permission";
  return {
    message: toMessage(name, example),
    ...(shows !== undefined && hides !== undefined && { foreign: { shows, hides } }),
    ...(name.endsWith("cda.monetization.entitlement.v1.EntitlementService/ListEntitlements") && {
      cookie: viewerCookie,
    }),
    ...(isPermitted && {
      resource: keyOfResource(method, example),
      isWrite: !/^(Get|List|BatchGet|Render|Simulate|Test)/.test(method.name),
    }),
  };
}

function toMessage(name: string, example: JsonMessage): MethodSample["message"] {
  if (name.endsWith("/ExchangeToken")) return identityToken;
  if (name.endsWith("/CreatePage")) return async () => withNewSlug(example);
  if (name.endsWith("/WriteRecords")) return async () => withNewId(example);
  return listMade(example).length === 0
    ? example
    : async (marquee) => {
        for (const id of listMade(example)) await ensure(marquee, id);
        return example;
      };
}

/** Lists the things that a message names and that are made for it. */
function listMade(message: JsonMessage): string[] {
  const texts = JSON.stringify(message).matchAll(/"([^"]+)"/g);
  return Array.from(texts, ([, text = ""]) => text).filter((it) => kindMade(it) !== undefined);
}

async function identityToken({ identityProvider }: Marquee): Promise<JsonMessage> {
  const token = {
    ...{ subject: "user-1", audience: "marquee-demo" },
    ...{ issueTime: new Date(), expireTime: new Date(Date.now() + 60_000) },
  };
  return { vendorIdToken: await identityProvider.sign(token) };
}

async function viewerCookie({ store }: Marquee): Promise<string> {
  const now = new Date();
  const viewerTokens = await openViewerTokens(store, now);
  const viewer = { projectId: "worldcup", userId: "user-worldcup-0001" };
  const token = await viewerTokens.sign(viewer, now, new Date(now.getTime() + 60_000));
  return `viewer_token=${token}`;
}

/** Gives a page a slug that no other page has. */
function withNewSlug({ page }: JsonMessage): JsonMessage {
  return { page: { ...(page as JsonMessage), slug: `sample-${randomUUID()}` } };
}

/** Gives the event of a record an id that nothing has: an identical one would not be written. */
function withNewId({ records, ...message }: JsonMessage): JsonMessage {
  const [{ event }] = records as [{ event: JsonMessage }];
  return { ...message, records: [{ event: { ...event, id: `sample-${randomUUID()}` } }] };
}

/** Makes the key of what a message is about: the resource that it names, or the parent of a new one and of a list. */
function keyOfResource({ parent, name }: DescMethod, message: JsonMessage): string {
  const kind = parent.typeName.split(".")[3] ?? "";
  const idField = `${kind.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())}Id`;
  const id = message[idField] ?? (message[`${idField}s`] as string[] | undefined)?.[0];
  if (isKindName(kind) && id !== undefined && !name.startsWith("Create")) {
    return keyOf(kind, `${id}`);
  }
  const fields: JsonMessage = Object.assign({}, ...Object.values(message), message);
  if (kind === "rendering") return keyOf("project", `${fields.projectId}`);
  if (fields.pageId) return keyOf("page", `${fields.pageId}`);
  if (fields.projectId) return keyOf("project", `${fields.projectId}`);
  if (fields.organizationId) return keyOf("organization", `${fields.organizationId}`);
  return fields.accountId ? keyOf("account", `${fields.accountId}`) : "installation/installation";
}

function keyOf(kind: KindName, id: string): string {
  if (kind === "project") return `${id}/${id}/project`;
  return kindOf(kind).in === "project" ? `${id}/worldcup/${kind}` : `${id}/${kind}`;
}

/** Stores what a sample is about, past the interface, and what that needs. */
async function ensure(marquee: Marquee, id: string): Promise<void> {
  const kind = kindMade(id);
  if (kind === undefined) return;
  const created = [...METHODS.values()].find(
    ({ name, parent }) =>
      parent.typeName.startsWith("svc.studio.") &&
      parent.typeName.split(".")[3] === kind &&
      name.startsWith("Create"),
  );
  const example = created ? EXAMPLES[procedureOf(created)] : { run: { projectId: "worldcup" } };
  for (const other of listMade(example ?? {})) await ensure(marquee, other);
  const { page } = withNewSlug(example ?? {});
  const fields = kind === "page" ? page : Object.values(example ?? {})[0];
  const value = fromJson(kindOf(kind).schema, { ...(fields as JsonObject), id });
  await put(marquee, kind, value as Message & { readonly id: string }).catch((error) => {
    if (!(error instanceof DomainError) || error.reason !== "ALREADY_EXISTS") throw error;
  });
}

async function put(
  marquee: Marquee,
  kind: KindName,
  value: Message & { readonly id: string },
): Promise<unknown> {
  const own = marquee.store.in("org-worldcup");
  const documents = own.documents[kind as keyof typeof own.documents];
  const add = (beside?: object) =>
    (documents as unknown as DocumentStore<Message, [object?]>).create(value, beside);
  switch (kind) {
    case "access_token":
    case "project_key":
      return add({ hash: hashToken(createToken("access")) });
    case "action":
    case "webhook":
      return add({ secret: `whsec_${Buffer.alloc(32, 7).toString("base64")}` });
    case "action_run":
      return putRun(marquee, value.id);
    case "change":
      return putChange(marquee, value.id);
    case "release":
      return putRelease(marquee, value.id);
    case "entitlement":
      return own.entitlementAdmin.create({
        ...(value as Entitlement),
        startTime: create(TimestampSchema, { seconds: 1_700_000_000n }),
      });
    case "organization":
      await add();
      return bindAll(marquee, value.id);
    case "page_component":
      return own.pageComponents.create(
        ...([value as PageComponent, { pageId: "page-help" }, () => {}] as const),
      );
    case "transaction": {
      const { CAPTURED, PENDING } = TransactionStatus;
      const status = value.id === "sample-refund" ? CAPTURED : PENDING;
      const createTime = create(TimestampSchema, { seconds: 1_700_000_000n });
      const transaction = { ...(value as Transaction), status, createTime };
      return own.documents.transaction
        .create(transaction, { billingTransactionId: "" })
        .catch(() => own.documents.transaction.update(value.id, () => transaction));
    }
    default:
      return add();
  }
}

/** Stores a run that was skipped, of an annotation of its own. */
async function putRun(marquee: Marquee, id: string): Promise<void> {
  const { annotation } = marquee.store.in("org-worldcup").documents;
  const annotationId = randomUUID();
  const { value } = await annotation.get("goal-2026-104-1");
  await annotation.create({ ...value, id: annotationId, typeId: "" });
  await ensure(marquee, "sample-action");
  const run = create(ActionRunSchema, {
    ...{ id, projectId: "worldcup", annotationId, actionId: "sample-action" },
    ...{ state: ActionRunState.SKIPPED, reason: "DISABLED" },
  });
  await marquee.store.actionRuns.create([{ run, payload: { kind: "webhook", body: "{}" } }]);
}

/** Records an update of an event of its own. */
async function putChange({ store }: Marquee, id: string): Promise<void> {
  const { documents } = store.in("org-worldcup");
  const event = create(EventSchema, { id: "sample-changed", projectId: "worldcup" });
  const { revision } = await documents.event.create({ ...event, title: { en: "After" } });
  const message = { ...event, title: { en: "Before" } };
  const change = create(ChangeSchema, {
    ...{ id, projectId: "worldcup", accountId: "account-owner", time: timestampNow() },
    resources: [{ key: "event:sample-changed", verb: ChangeVerb.UPDATED, paths: ["title.en"] }],
  });
  await store.history.add({
    ...{ organizationId: "org-worldcup", revision, part: 0, joinedBy: "", change },
    before: [wrapRecord({ kind: "event", message, line: 0 })],
  });
}

/** Stores an open release with a draft of a new event, which is equal to the current one once it has been applied. */
async function putRelease({ store }: Marquee, id: string): Promise<void> {
  const { release: releases } = store.in("org-worldcup").documents;
  const place = { organizationId: "org-worldcup", releaseId: id };
  const release = create(ReleaseSchema, {
    ...{ id, projectId: "worldcup", name: "Sample", state: ReleaseState.OPEN },
    conflictPolicy: ConflictPolicy.REJECT,
  });
  await releases.create(release).catch(() => releases.update(id, () => release));
  const message = create(EventSchema, { id: "sample-drafted", projectId: "worldcup" });
  await store.releaseItems.put({
    ...{ ...place, kind: "event", id: "sample-drafted", projectId: "worldcup", isForced: false },
    ...{ draft: { kind: "event", message, line: 0 }, accountId: "account-owner", baseRevision: 0 },
    updateTime: new Date(),
  });
}

/** Gives accounts of the demo roles in an organization that is not theirs. */
async function bindAll({ store }: Marquee, organizationId: string): Promise<void> {
  for (const [accountId, roleId] of [
    ["account-owner", "owner"],
    ["account-editor", "viewer"],
    ["account-viewer", "viewer"],
  ]) {
    const binding = {
      ...{ id: `sample-${accountId}`, organizationId, accountId, roleId },
      ...{ resourceKey: `${organizationId}/organization`, accountOrganizationId: "org-worldcup" },
    };
    await store
      .in(organizationId)
      .documents.binding.create(create(BindingSchema, binding as never));
  }
}
