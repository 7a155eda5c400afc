import { afterAll } from "vitest";
import type { Dataset } from "../../demo/data/dataset-records.ts";
import type { ServerOptions } from "../../src/server.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { type Marquee, startMarquee } from "./marquee.ts";
import { type SmallMarquee, startSmallMarquee } from "./small-marquee.ts";
import { useUnlimitedTime } from "./unlimited-time.ts";

/** Starts a service over the demo database for the tests of one file, and closes it after them. Its lists have any time. */
export async function useMarquee(options: Partial<ServerOptions> = {}): Promise<Marquee> {
  useUnlimitedTime();
  const marquee = await startMarquee(options);
  afterAll(() => marquee.close());
  return marquee;
}

/** Starts a service over a dataset for the tests of one file, and closes it after them. Its lists have any time. */
export async function useSmallMarquee(
  dataset: Dataset,
  options: Partial<ServerOptions> = {},
  wrap?: (store: Store) => Store,
): Promise<SmallMarquee> {
  useUnlimitedTime();
  const marquee = await startSmallMarquee(dataset, options, wrap);
  afterAll(() => marquee.close());
  return marquee;
}
