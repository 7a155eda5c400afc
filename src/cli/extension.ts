import type { Address } from "../server/address.ts";
import type { Server, ServerOptions } from "../server.ts";
import type { Store } from "../storage/contract/store.ts";
import type { DatabaseLocation } from "../storage/open.ts";

/** An extension of `marquee serve` from outside of the source: the demo. */
export interface Extension {
  /** Adds what the extension serves and trusts to the options of the server. */
  extend(options: ServerOptions): ServerOptions;
  /** Writes the demo file for a server that listens, and returns the text to print. */
  announce(server: Pick<Server, "deliveryUrl" | "studioUrl">, now: Date): Promise<string>;
  close(): Promise<void>;
}

/** The settings that an extension reads. */
export interface ExtensionSettings {
  readonly database: DatabaseLocation;
  /** Where the Delivery API will listen. */
  readonly delivery: Address;
  readonly demoFile: string;
  /** The seconds between the goals of its match; 0 for none. */
  readonly demoGoals: number;
  readonly env: NodeJS.ProcessEnv;
}

/** Prepares an extension over a store; undefined if it does not fit the data. */
export type StartExtension = (
  store: Store,
  settings: ExtensionSettings,
) => Promise<Extension | undefined>;
