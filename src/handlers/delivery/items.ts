import { create } from "@bufbuild/protobuf";
import { type Item, ItemSchema } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import type { ContentKind } from "../../domain/content/order.ts";
import type {
  ContentIds,
  ContentPage,
  ContentQuery,
  ContentStore,
} from "../../storage/delivery-store.ts";
import type { Store } from "../../storage/store.ts";

/** The content of every kind, each item in the message that says which. */
export interface ContentItems {
  list(kind: ContentKind, query: ContentQuery): Promise<ContentPage<Item>>;
  getMany(kind: ContentKind, key: ContentIds): Promise<Item[]>;
}

type ContentStores = Pick<Store, "creativeWorks" | "entities" | "events">;

/** Creates the content of every kind over the stores of each. */
export function createContentItems(stores: ContentStores): ContentItems {
  const byKind: Readonly<Record<ContentKind, ContentItemStore>> = {
    event: toItemStore(stores.events, (value) => ({ case: "event", value })),
    creative_work: toItemStore(stores.creativeWorks, (value) => ({ case: "creativeWork", value })),
    entity: toItemStore(stores.entities, (value) => ({ case: "entity", value })),
  };
  return {
    list: (kind, query) => byKind[kind].list(query),
    getMany: (kind, key) => byKind[kind].getMany(key),
  };
}

interface ContentItemStore {
  list(query: ContentQuery): Promise<ContentPage<Item>>;
  getMany(key: ContentIds): Promise<Item[]>;
}

function toItemStore<T>(
  store: ContentStore<T>,
  wrap: (value: T) => Item["item"],
): ContentItemStore {
  const toItem = (value: T) => create(ItemSchema, { item: wrap(value) });
  return {
    async list(query) {
      const { entries, ...rest } = await store.list(query);
      return {
        entries: entries.map(({ item, place }) => ({ item: toItem(item), place })),
        ...rest,
      };
    },
    getMany: async (key) => (await store.getMany(key)).map(toItem),
  };
}
