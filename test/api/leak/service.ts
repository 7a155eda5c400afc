import { clone, create, type Message } from "@bufbuild/protobuf";
import { type IdentityProvider, startIdentityProvider } from "../../../demo/identity-provider.ts";
import { ReleaseSchema } from "../../../gen/svc/type/v1/release_pb.ts";
import { createToken, hashToken } from "../../../src/auth/token.ts";
import { openViewerTokens } from "../../../src/auth/viewer-token.ts";
import { createViewerTokenKey } from "../../../src/auth/viewer-token-key.ts";
import { isReleasable } from "../../../src/domain/kinds.ts";
import {
  openRecord,
  RECORD_SCHEMAS,
  type RecordItem,
  recordIdOf,
} from "../../../src/domain/records/record.ts";
import type { NewViewerTokenKey } from "../../../src/storage/contract/sign-in.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import type { DatabaseLocation } from "../../../src/storage/open.ts";
import { openDatabase } from "../../harness/database.ts";
import { openFresh } from "../../harness/fresh-store.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { startOver } from "../../harness/marquee.ts";
import { keepProjectKey } from "../../storage/project-key.ts";
import { createLeakDataset, ORGANIZATION } from "./dataset.ts";
import { fillTexts } from "./filled-message.ts";
import { INTERNAL_WORD, PROJECT, VARIANTS, type VariantName, VIEWER } from "./variants.ts";

/** The time of all services. */
export const NOW = new Date("2026-03-10T12:00:00Z");

/** Keys of the project that work on all services. */
export interface LeakKeys {
  readonly public: string;
  readonly preview: string;
}

/** Services that differ in what their datasets hold, and in nothing else that a response shows. */
export interface LeakServices {
  readonly keys: LeakKeys;
  readonly identityProvider: IdentityProvider;
  /** A viewer token of {@link VIEWER} that holds on all services. */
  readonly viewerToken: string;
  /** The address of the service whose dataset holds all variants. */
  readonly all: string;
  /** … that holds the unlisted things only. */
  readonly withUnlisted: string;
  /** … that holds nothing but what is published. */
  readonly publishedOnly: string;
  close(): Promise<void>;
}

/** Starts the services; they share their secrets, so that page tokens are the same. */
export async function startLeakServices(): Promise<LeakServices> {
  const keys = { public: createToken("public"), preview: createToken("preview") };
  const identityProvider = await startIdentityProvider();
  const all = Object.keys(VARIANTS) as VariantName[];
  const viewerKey = createViewerTokenKey(NOW);
  const services = await Promise.all(
    [all, ["unlisted"] as const, []].map((names) =>
      startService(names, { keys, viewerKey, identityProvider }),
    ),
  );
  const { viewerToken = "" } = services[0] ?? {};
  const [first = "", withUnlisted = "", publishedOnly = ""] = services.map(({ url }) => url);
  return {
    ...{ keys, identityProvider, viewerToken, all: first, withUnlisted, publishedOnly },
    async close() {
      for (const service of services) await service.close();
      await identityProvider.close();
    },
  };
}

/** What the services have in common. */
interface SharedParts {
  readonly keys: LeakKeys;
  readonly viewerKey: NewViewerTokenKey;
  readonly identityProvider: IdentityProvider;
}

async function startService(
  names: readonly VariantName[],
  { keys, viewerKey, identityProvider }: SharedParts,
) {
  const fresh = await openFresh();
  const { store } = fresh;
  await loadDataset(store, createLeakDataset(names));
  await shareProjectUid(fresh.address);
  if (names.includes("hidden")) await draftEverything(store);
  await store.secrets.getOrCreate("page_token_key", () => new Uint8Array(32));
  await store.viewerTokenKeys.begin(() => viewerKey);
  const viewerTokens = await openViewerTokens(store, NOW);
  for (const kind of ["public", "preview"] as const) {
    await keepProjectKey(store, PROJECT, kind, hashToken(keys[kind]));
  }
  const clock = () => NOW;
  const server = await startOver(store, {
    clock,
    identityIssuers: [identityProvider],
    limits: { cacheMib: 8 },
  });
  const viewer = { projectId: PROJECT, userId: VIEWER };
  return {
    url: server.deliveryUrl,
    viewerToken: await viewerTokens.sign(viewer, NOW, new Date(NOW.getTime() + 60_000)),
    async close() {
      await server.close(1_000);
      await fresh.close();
    },
  };
}

/** Gives the project the same uid in every database, so that a viewer token holds on all services. */
async function shareProjectUid(address: DatabaseLocation): Promise<void> {
  const database = openDatabase(address);
  await database.updateTable("project").set({ uid: "shared" }).where("id", "=", PROJECT).execute();
  await database.destroy();
}

/** Drafts another word for every text of everything that a release may contain, and a copy of it. */
async function draftEverything(store: Store): Promise<void> {
  const release = {
    id: "release",
    projectId: PROJECT,
    name: INTERNAL_WORD,
    description: INTERNAL_WORD,
  };
  await store.in(ORGANIZATION).documents.release.create(create(ReleaseSchema, release));
  const items: RecordItem[] = [];
  await store.exportRecords(PROJECT, (records) => {
    items.push(...records.flatMap((record) => openRecord(record, 0) ?? []));
  });
  const place = { organizationId: ORGANIZATION, releaseId: release.id, projectId: PROJECT };
  const drafted = { ...place, isForced: false, accountId: "", updateTime: NOW };
  const kinds = Object.values(Object.groupBy(items, ({ kind }) => kind));
  const releasable = kinds
    .filter((ofKind) => isReleasable(ofKind[0]?.kind ?? "role"))
    .flatMap((ofKind) => ofKind.slice(0, 30));
  for (const [index, item] of releasable.entries()) {
    const { kind } = item;
    const draft = {
      ...item,
      message: fillTexts(RECORD_SCHEMAS[kind], item.message, INTERNAL_WORD),
    };
    const id = recordIdOf(item);
    await store.releaseItems.put({ ...drafted, kind, id, base: item, draft });
    const copy = clone(RECORD_SCHEMAS[kind], draft.message) as Message & { id: string };
    copy.id = `${INTERNAL_WORD}-${index}`;
    const created = { ...draft, message: copy };
    await store.releaseItems.put({ ...drafted, kind, id: copy.id, draft: created });
  }
}
