import { type DescMessage, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { WebhookEvent } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { ResourceChange } from "../changes/resource-change.ts";
import { type AnnouncedKind, isAnnounced, KIND_NAMES, kindOf } from "../kinds.ts";
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
  const form = { useProtoFieldName: true, alwaysEmitImplicit: true };
  return [before, after].flatMap((it) => (it === undefined ? [] : [toJson(schema, it, form)]));
}

function isPublished(state: ContentState | undefined): boolean {
  return state?.visibility === Visibility.PUBLISHED;
}
