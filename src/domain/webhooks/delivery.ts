import {
  create,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ActionRunSchema } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import {
  type Webhook,
  WebhookEvent,
  WebhookEventSchema,
} from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { type Release, ReleaseSchema } from "../../../gen/svc/type/v1/release_pb.ts";
import { Visibility, VisibilitySchema } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { type NewActionRun, replayRun } from "../actions/action-run.ts";
import type { TraceContext } from "../actions/run-payload.ts";
import { FULL_JSON } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import type { ResourceChange } from "../changes/resource-change.ts";
import { type AnnouncedKind, isAnnounced, KIND_NAMES, kindOf } from "../kinds.ts";
import { createKqlSteps, KqlDocument, type KqlNode, matchKql } from "../kql/index.ts";
import { encodeSurrogateKey, surrogateKeyOf, valueKeysOf } from "../surrogate-keys.ts";

/** A resource before or after a change. */
export type ContentState = Message & {
  readonly id: string;
  readonly projectId: string;
  readonly visibility?: Visibility;
  readonly slug?: string;
  readonly contentType?: string;
  readonly entityIds?: readonly string[];
};

/** A change that webhooks announce. */
export interface ContentChange extends ResourceChange {
  readonly kind: AnnouncedKind;
  readonly before?: ContentState | undefined;
  readonly after?: ContentState | undefined;
}

/** Decides whether webhooks announce a change: the change of a dependent is part of another one. */
export function isContentChange(change: ResourceChange): change is ContentChange {
  return isAnnounced(change.kind) && change.isDependent !== true;
}

/** Returns the newest known state of the resource. */
export function stateOf({ before, after }: ContentChange): ContentState {
  const state = after ?? before;
  if (state === undefined) throw new Error("a change has no state");
  return state;
}

/** Lists the events of the change, the most specific first. */
export function listEvents({ before, after }: ContentChange): readonly WebhookEvent[] {
  const [was, is] = [isPublished(before), isPublished(after)];
  const visibility = was === is ? [] : [is ? WebhookEvent.PUBLISHED : WebhookEvent.UNPUBLISHED];
  if (before === undefined) return [...visibility, WebhookEvent.CREATED];
  return [...visibility, after === undefined ? WebhookEvent.DELETED : WebhookEvent.UPDATED];
}

/**
 * Lists the surrogate keys of the responses that may show the resource before or after the change. These are the keys
 * of the resource, its collection, its content types and entities, and of the collections and the page that change with it.
 */
export function listSurrogateKeys(change: ContentChange): readonly string[] {
  const { kind, before, after, pageId } = change;
  const { id, projectId } = stateOf(change);
  const states = [before, after];
  const values = {
    types: new Set(states.flatMap((state) => state?.contentType ?? [])),
    entityIds: new Set(states.flatMap((state) => state?.entityIds ?? [])),
  };
  const cascades = after === undefined ? listCascades(kind) : [];
  const keys = [
    surrogateKeyOf(kind, projectId, id),
    surrogateKeyOf(kind, projectId),
    ...valueKeysOf(kind, projectId, values),
    ...(pageId ? [surrogateKeyOf("page", projectId, pageId)] : []),
    ...cascades.map((name) => surrogateKeyOf(name, projectId)),
  ];
  return keys.map(encodeSurrogateKey);
}

/** Lists the kinds with resources that are deleted together with a resource of a kind. */
function listCascades(kind: AnnouncedKind): AnnouncedKind[] {
  return KIND_NAMES.filter(isAnnounced).filter((name) =>
    kindOf(name).needs.some((needed) => needed === kind),
  );
}

/** Writes the known states of the resource as the Studio API returns them. */
export function toStatesJson({ kind, before, after }: ContentChange): readonly JsonValue[] {
  const schema: DescMessage = kindOf(kind).schema;
  return [before, after].flatMap((it) => (it === undefined ? [] : [toJson(schema, it, FULL_JSON)]));
}

function isPublished(state: ContentState | undefined): boolean {
  return state?.visibility === Visibility.PUBLISHED;
}

/** A webhook with its parsed filter. */
export interface ReadyWebhook {
  readonly webhook: Webhook;
  readonly filter?: KqlNode;
}

/** The facts of a new delivery. */
export interface DeliveryParts {
  readonly id: string;
  readonly now: Date;
  /** The trace of the call that made the change; absent: none. */
  readonly trace?: TraceContext | undefined;
}

/** The page of a change, for the URL to revalidate. */
interface ChangedPage {
  readonly id: string;
  readonly slug: string;
}

/** Reports whether a webhook announces changes of this kind with these events. */
export function announces({ webhook }: ReadyWebhook, change: ContentChange): boolean {
  return findEvent(webhook, change.kind, listEvents(change)) !== undefined;
}

/** Tests the filter of a webhook on the states of a resource as JSON, in steps. True without a filter. */
export function* matchesFilter(
  { filter }: ReadyWebhook,
  listStates: () => readonly JsonValue[],
  now: Date,
): Steps<boolean> {
  if (filter === undefined) return true;
  const test = createKqlSteps(filter, now.getTime());
  for (const state of listStates()) if (yield* test(new KqlDocument(state))) return true;
  return false;
}

/** Creates the run that announces a change to a webhook that subscribes to it. */
export function createDelivery(
  { webhook }: ReadyWebhook,
  change: ContentChange,
  parts: DeliveryParts,
  page?: ChangedPage,
): NewActionRun {
  const { kind, before, after, revision } = change;
  const { id, slug, visibility } = stateOf(change);
  const events = listEvents(change);
  const event = findEvent(webhook, kind, events) ?? WebhookEvent.UPDATED;
  const name = VisibilitySchema.values.find(({ number }) => number === visibility)?.name;
  const run = {
    type: `${kind}.${nameOf(event)}`,
    resourceType: kind,
    resourceId: id,
  };
  return createRun(webhook, run, parts, {
    kind,
    id,
    changes: events.map(nameOf),
    revision: String(revision),
    ...(name !== undefined && { visibility: name }),
    ...(slug !== undefined && { slug }),
    ...(before?.slug !== undefined && after !== undefined && before.slug !== slug
      ? { previous_slug: before.slug }
      : {}),
    ...(page && { page: { id: page.id, slug: page.slug } }),
    surrogate_keys: [...listSurrogateKeys(change)],
  });
}

/** Decides whether a webhook announces an event of a release. */
export function wantsRelease(
  { webhook, filter }: ReadyWebhook,
  release: Release,
  event: WebhookEvent,
  now: Date,
): boolean {
  if (findEvent(webhook, "release", [event]) === undefined) return false;
  if (filter === undefined) return true;
  return matchKql(filter, toJson(ReleaseSchema, release, FULL_JSON), now.getTime());
}

/** Creates the run that announces an event of a release to a webhook. It contains no values of drafts. */
export function createReleaseDelivery(
  { webhook }: ReadyWebhook,
  release: Release,
  revision: number,
  event: WebhookEvent,
  parts: DeliveryParts,
): NewActionRun {
  const { id, applyTime, changeId, failure } = release;
  const run = { type: `release.${nameOf(event)}`, resourceType: "release", resourceId: id };
  return createRun(webhook, run, parts, {
    kind: "release",
    id,
    changes: [nameOf(event)],
    revision: String(revision),
    ...(applyTime && { apply_time: timestampDate(applyTime).toISOString() }),
    ...(changeId !== "" && { change_id: changeId }),
    ...(failure && { failure: { reason: failure.reason, item_key: failure.itemKey } }),
    surrogate_keys: [],
  });
}

/** Creates the run that announces an import, which may have changed anything in a project, to a webhook. */
export function createImportDelivery(
  webhook: Webhook,
  revision: number,
  parts: DeliveryParts,
): NewActionRun {
  return createRun(webhook, { type: "project.imported" }, parts, {
    revision: String(revision),
    surrogate_keys: [webhook.projectId],
  });
}

function createRun(
  { id: webhookId, projectId }: Webhook,
  fields: { readonly type: string; readonly resourceType?: string; readonly resourceId?: string },
  { id, now, trace }: DeliveryParts,
  data: JsonObject,
): NewActionRun {
  const createTime = timestampFromDate(now);
  const run = create(ActionRunSchema, { id, projectId, webhookId, createTime, ...fields });
  const body = JSON.stringify({
    type: fields.type,
    timestamp: now.toISOString(),
    data: { project_id: projectId, ...data },
  });
  return {
    run: replayRun(run, now),
    payload: { kind: "webhook", body, ...(trace && { trace }) },
  };
}

/** Finds the first event of a resource of a kind that a webhook announces. */
function findEvent(
  { disabled, kinds, events }: Webhook,
  kind: string,
  happened: readonly WebhookEvent[],
): WebhookEvent | undefined {
  if (disabled || (kinds.length > 0 && !kinds.includes(kind))) return undefined;
  return happened.find((it) => events.length === 0 || events.includes(it));
}

function nameOf(event: WebhookEvent): string {
  const prefix = WebhookEventSchema.sharedPrefix ?? "";
  return (WebhookEventSchema.value[event]?.name ?? "").slice(prefix.length).toLowerCase();
}
