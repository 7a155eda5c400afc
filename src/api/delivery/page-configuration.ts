import type { Page } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { ComponentTemplate } from "../../domain/pages/rendering/render-component.ts";
import type { BannerCollectionStore, OfferStore, PageStore } from "../../storage/delivery-store.ts";
import type { Store } from "../../storage/store.ts";
import { createRevisionMemo } from "./revision-memo.ts";

/** The stores of what editors put together for pages. */
export interface PageConfigurationStores {
  readonly pages: Pick<PageStore, "get" | "getComponents">;
  readonly bannerCollections: Pick<BannerCollectionStore, "getMany">;
  readonly offers: Pick<OfferStore, "getMany">;
}

/**
 * What editors put together for pages, components as templates. Its messages are shared by all requests: they
 * must not be changed.
 */
export interface PageConfiguration extends Omit<PageConfigurationStores, "pages"> {
  readonly pages: {
    /** See {@link PageStore.get}. */
    get(key: Key<"get">): Promise<PageTemplate>;
    /** See {@link PageStore.getComponents}. */
    getComponents(key: Key<"getComponents">): Promise<readonly ComponentTemplate[]>;
  };
}

/** A page with its components in order. */
export interface PageTemplate {
  readonly page: Page;
  readonly components: readonly ComponentTemplate[];
}

type Key<Method extends "get" | "getComponents"> = Parameters<PageStore[Method]>[0];

/** The number of reads of each kind that are cached. */
const MOST_READS = 250;

/**
 * Creates the source of the configuration of pages, which reads it again after the project has changed.
 */
export function createPageConfiguration(
  { pages, bannerCollections, offers }: PageConfigurationStores,
  store: Pick<Store, "knownRevision">,
): PageConfiguration {
  /** Caches the results of a read by its key. */
  function memoize<Key extends { readonly projectId: string }, T>(
    read: (key: Key) => Promise<T>,
  ): (key: Key) => Promise<T> {
    const memo = createRevisionMemo<T>(store, MOST_READS);
    return (key) => memo.find(key.projectId, JSON.stringify(key), () => read(key));
  }

  /** Caches the results of a read by ids; a read of none is no read. */
  function memoizeByIds<
    Key extends { readonly projectId: string; readonly ids: readonly string[] },
    T,
  >(read: (key: Key) => Promise<readonly T[]>): (key: Key) => Promise<readonly T[]> {
    const find = memoize(read);
    return async (key) => (key.ids.length === 0 ? [] : find(key));
  }

  return {
    pages: {
      get: memoize(async (key) => {
        const { page, components } = await pages.get(key);
        return { page, components: toTemplates(components) };
      }),
      getComponents: memoizeByIds(async (key) => toTemplates(await pages.getComponents(key))),
    },
    bannerCollections: {
      getMany: memoizeByIds((key) => bannerCollections.getMany(key)),
    },
    offers: {
      getMany: memoizeByIds((key) => offers.getMany(key)),
    },
  };
}

function toTemplates(components: readonly PageComponent[]): readonly ComponentTemplate[] {
  return components.map((component) => new ComponentTemplate(component));
}
