import { Kysely } from "kysely";
import type { ReplicaHealth, ReplicaState } from "../connection-pool.ts";
import type { ContentStore } from "../delivery-store.ts";
import type { Schema } from "../sql/schema.ts";
import { createStores } from "../sql/stores.ts";
import type { Store } from "../store.ts";
import type { ChangeWatch } from "./change-watch.ts";
import { type PostgresAddress, readAddress } from "./client-settings.ts";
import { POSTGRES_DIALECT } from "./dialect.ts";
import { PostgresDialect } from "./postgres-dialect.ts";
import { Replica, type ReplicaOptions, SNAPSHOT_DRIVER } from "./replica.ts";

/** The stores that a replica may read. */
type ReplicaReads = NonNullable<Store["delivery"]>;

/** The replicas of a database. */
export interface Replicas {
  /** The state of the best one. */
  readonly state: ReplicaState;
  /** Lists all of them as they were last probed. */
  list(): readonly ReplicaHealth[];
  /** Returns the reads of replicas, and of the primary where none of them can answer. */
  over(primary: ReplicaReads): ReplicaReads;
  close(): Promise<void>;
}

/** The states in which a replica answers, from the best. */
const STATES: readonly ReplicaState[] = ["used", "behind"];

/** Opens replicas; one that does not respond is used once it does. */
export async function openReplicas(
  addresses: readonly PostgresAddress[],
  options: ReplicaOptions & { readonly changes: ChangeWatch },
): Promise<Replicas> {
  const { changes } = options;
  const replicas = addresses.map((address) => new Replica(readAddress(address), options));
  await Promise.all(replicas.map((replica) => replica.probe()));
  const read = new Kysely<Schema>({ dialect: new PostgresDialect(SNAPSHOT_DRIVER) });
  const stores = createStores({ read, write: read, dialect: POSTGRES_DIALECT, changes });
  let turn = 0;

  /** Chooses the least busy replica, for a project if one is given; of several, each in its turn. */
  function choose(projectId?: string): Replica | undefined {
    turn += 1;
    let chosen: Replica | undefined;
    for (let index = 0; index < replicas.length; index += 1) {
      const replica = replicas[(turn + index) % replicas.length];
      if (!replica?.mayRead(projectId)) continue;
      if (chosen === undefined || replica.reading < chosen.reading) chosen = replica;
    }
    return chosen;
  }

  return {
    get state() {
      const states = replicas.map(({ state }) => state);
      return STATES.find((state) => states.includes(state)) ?? "unavailable";
    },

    list: () => replicas.map(({ health }) => health),

    over(primary) {
      async function run<T>(
        { projectId }: { readonly projectId: string },
        toRead: (reads: ReplicaReads) => Promise<T>,
      ): Promise<T> {
        const revision = changes.knownRevision(projectId);
        if (revision === undefined) return toRead(primary);
        const found = await choose(projectId)?.read({ projectId, revision }, () => toRead(stores));
        return found === undefined ? toRead(primary) : found.value;
      }

      const toContents = <T>(
        contentsOf: (reads: ReplicaReads) => ContentStore<T>,
      ): ContentStore<T> => ({
        get: (key) => run(key, (reads) => contentsOf(reads).get(key)),
        getMany: (key) => run(key, (reads) => contentsOf(reads).getMany(key)),
        list: (key) => run(key, (reads) => contentsOf(reads).list(key)),
      });

      return {
        access: {
          async findProjectKey(hash) {
            const found = await choose()?.read(undefined, () => stores.access.findProjectKey(hash));
            const key = found?.value;
            const known = key && changes.knownRevision(key.projectId);
            // A replica that is behind may lack that the key was deleted.
            const isCurrent = known !== undefined && key !== undefined && key.revision >= known;
            return isCurrent ? key : primary.access.findProjectKey(hash);
          },
        },
        annotations: { list: (key) => run(key, ({ annotations }) => annotations.list(key)) },
        bannerCollections: {
          getMany: (key) => run(key, ({ bannerCollections }) => bannerCollections.getMany(key)),
        },
        creativeWorks: toContents(({ creativeWorks }) => creativeWorks),
        entities: toContents(({ entities }) => entities),
        events: toContents(({ events }) => events),
        offers: {
          getMany: (key) => run(key, ({ offers }) => offers.getMany(key)),
          list: (key) => run(key, ({ offers }) => offers.list(key)),
          listOpening: (key) => run(key, ({ offers }) => offers.listOpening(key)),
        },
        pages: {
          get: (key) => run(key, ({ pages }) => pages.get(key)),
          getComponents: (key) => run(key, ({ pages }) => pages.getComponents(key)),
          list: (key) => run(key, ({ pages }) => pages.list(key)),
        },
        rulesets: {
          list: (projectId) => run({ projectId }, ({ rulesets }) => rulesets.list(projectId)),
        },
      };
    },

    async close() {
      await Promise.all(replicas.map((replica) => replica.close()));
    },
  };
}
