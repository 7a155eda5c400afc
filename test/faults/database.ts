import { type DemoCredentials, issueDemoCredentials } from "../../src/demo/credentials.ts";
import type { DatabaseAddress } from "../../src/storage/open.ts";
import type { Store } from "../../src/storage/store.ts";
import { openFresh } from "../harness/fresh-store.ts";

/** A database with the demo's data, for the processes of a fault. */
export interface FaultDatabase {
  /** The value of `--database`. */
  readonly setting: string;
  /** A store over it in this process. */
  readonly store: Store;
  readonly credentials: DemoCredentials;
  close(): Promise<void>;
}

/** Creates a database that holds the demo. */
export async function createDemoDatabase(): Promise<FaultDatabase> {
  const { store, address, close } = await openFresh("demo");
  const credentials = await issueDemoCredentials(store, undefined, new Date());
  return { setting: toSetting(address), store, credentials, close };
}

function toSetting(address: DatabaseAddress): string {
  return `sqlite:${address.path}`;
}
