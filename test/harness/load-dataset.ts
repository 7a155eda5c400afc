import { type Dataset, toRecords } from "../../demo/data/dataset-records.ts";
import type { Store } from "../../src/storage/contract/store.ts";

/** Imports a dataset into an empty database; its actions have empty secrets. */
export async function loadDataset(
  store: Pick<Store, "importRecords">,
  dataset: Dataset,
  createSecret: () => string = () => "",
): Promise<void> {
  await store.importRecords([[...toRecords(dataset)]], { createSecret });
}
