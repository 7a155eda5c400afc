import { createHash } from "node:crypto";
import { create, type Message, ScalarType } from "@bufbuild/protobuf";
import type { Dataset } from "../../../demo/data/dataset-records.ts";
import { KIND_NAMES, KINDS, type KindName, kindOf } from "../../../src/domain/kinds.ts";
import type { DocumentStore, Documents } from "../../../src/storage/contract/document-store.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, GAMMA } from "../small-dataset.ts";

/** A document of any type. */
export type AnyDocument = Message & { readonly id: string };

/** Makes documents of one kind, and says what their lists can be ordered by. */
export interface DocumentSample {
  readonly kind: keyof Documents;
  /** Where documents can lie: two parents in which there is nothing of the type yet. */
  readonly parents: readonly [string, string];
  /** The counter that their revisions come from, if that is another document. */
  readonly root?: "organization" | "project";
  /** A text field of the message, by both of its names. */
  readonly label: { readonly local: string; readonly proto: string };
  /** Makes a document with a value of its label, `label` being the id if absent. */
  make(id: string, parent: string, init?: Readonly<Record<string, unknown>>): AnyDocument;
  /** What is given beside the document when it is created. */
  extras(id: string): readonly object[];
  /** Fields to order by beside the id, and how a document gets a value of one: a whole number. */
  readonly orders: Readonly<Record<string, (value: number) => Readonly<Record<string, unknown>>>>;
}

/** Organizations, projects and accounts with nothing in them. */
export const EMPTY: Dataset = {
  organizations: ["acme", "other", "third", "fourth"].map((id) => ({ id, name: id })),
  projects: [
    { id: ALPHA, organizationId: "acme", name: "Alpha" },
    { id: GAMMA, organizationId: "other", name: "Gamma" },
  ],
  accounts: [
    { id: "ann", organizationId: "acme", name: "Ann" },
    { id: "eve", organizationId: "other", name: "Eve" },
  ],
  ...{ bindings: [], entities: [], creativeWorks: [], events: [], videos: [], annotations: [] },
  ...{ annotationTypes: [], bannerCollections: [], pages: [], rulesets: [], offers: [] },
  ...{ transactions: [], signInIntegrations: [] },
};

const time = (seconds: number) => ({ seconds: BigInt(seconds) });
const TITLE = { "title.en": (value: number) => ({ title: { en: String(value) } }) };

/** The parents of documents, by the kind that they lie in. */
const PARENTS = {
  installation: { parent: "id", parents: ["one", "two"] },
  organization: { parent: "organizationId", parents: ["third", "fourth"], root: "organization" },
  account: { parent: "accountId", parents: ["ann", "eve"], root: "organization" },
  project: { parent: "projectId", parents: [ALPHA, GAMMA], root: "project" },
} as const;

/** What samples have beyond what the table of kinds says. */
const DETAILS: Readonly<Partial<Record<KindName, Partial<SampleParts>>>> = {
  organization: { init: { usage: {} } },
  project: { init: { usage: {} }, root: undefined },
  access_token: { extra: (id) => ({ hash: hash(id) }) },
  binding: {
    label: { local: "roleId", proto: "role_id" },
    init: { accountId: "ann", accountOrganizationId: "acme", resourceKey: "third/organization" },
  },
  project_key: { extra: (id) => ({ hash: hash(id) }) },
  action: { extra: () => ({ secret: "whsec_x" }) },
  webhook: { extra: () => ({ secret: "whsec_x" }) },
  transaction: { extra: (id) => ({ billingTransactionId: `billing ${id}` }) },
  entity: { moreOrders: TITLE },
  creative_work: {
    moreOrders: { ...TITLE, release_time: (value) => ({ releaseTime: time(value) }) },
  },
  event: { moreOrders: { ...TITLE, start_time: (value) => ({ startTime: time(value) }) } },
};

/** Every type of document that is made by itself. */
export const DOCUMENT_SAMPLES: readonly DocumentSample[] = KIND_NAMES.filter(isDocument).map(
  (kind) => sample(kind, { ...PARENTS[KINDS[kind].in], ...DETAILS[kind] }),
);

function isDocument(kind: KindName): kind is keyof Documents {
  return ["content", "document"].includes(KINDS[kind].keep) && kind !== "page_component";
}

const ORGANIZATIONS: Readonly<Record<string, string>> = {
  [ALPHA]: "acme",
  [GAMMA]: "other",
  ann: "acme",
  eve: "other",
};

/** Names the organization of something that documents of a sample lie in. */
export function organizationOf(parent: string): string {
  return ORGANIZATIONS[parent] ?? parent;
}

/** Gets the store of a sample's documents in the organization of a parent; default: of its first. */
export function documentsOf(
  store: Pick<Store, "in">,
  { kind, parents }: Pick<DocumentSample, "kind" | "parents">,
  parent = parents[0],
): DocumentStore<AnyDocument, readonly object[]> {
  return store.in(organizationOf(parent)).documents[kind] as unknown as DocumentStore<
    AnyDocument,
    readonly object[]
  >;
}

interface SampleParts extends Pick<DocumentSample, "parents"> {
  /** The field that says what a document lies in. */
  readonly parent: string;
  readonly root?: DocumentSample["root"] | undefined;
  /** Default: the name, or the first text that is no id. */
  readonly label?: DocumentSample["label"];
  readonly init?: Readonly<Record<string, unknown>>;
  readonly extra?: (id: string) => object;
  readonly moreOrders?: DocumentSample["orders"];
}

function sample(
  kind: keyof Documents,
  { parent, parents, root, init, extra, moreOrders, label = labelOf(kind) }: SampleParts,
): DocumentSample {
  const { schema, orders } = kindOf(kind);
  return {
    ...{ kind, parents, label, ...(root && { root }) },
    make: (id, parentId, more) => {
      const fields = { [parent]: parentId, [label.local]: id, ...init, id, ...more };
      return create(schema, fields as never) as AnyDocument;
    },
    extras: (id) => (extra === undefined ? [] : [extra(id)]),
    orders: {
      ...Object.fromEntries(orders.map((name) => [name, toOrdered(kind, name)])),
      ...moreOrders,
    },
  };
}

function labelOf(kind: keyof Documents): DocumentSample["label"] {
  const { fields } = kindOf(kind).schema;
  const texts = fields.filter(
    ({ fieldKind, scalar, name }) =>
      fieldKind === "scalar" && scalar === ScalarType.STRING && !/(^|_)id$/.test(name),
  );
  const { localName = "", name = "" } = texts.find((it) => it.name === "name") ?? texts[0] ?? {};
  return { local: localName, proto: name };
}

/** Returns how a document gets a value of a field that lists are ordered by: a time, or a number. */
function toOrdered(kind: keyof Documents, name: string): DocumentSample["orders"][string] {
  const field = kindOf(kind).schema.fields.find((it) => it.name === name);
  const isTime = field?.message !== undefined;
  return (value) => ({ [field?.localName ?? ""]: isTime ? time(value) : value });
}

function hash(id: string): Uint8Array {
  return createHash("sha256").update(id).digest();
}
