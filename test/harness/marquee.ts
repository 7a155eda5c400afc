import { type Logger, pino } from "pino";
import { issueDemoCredentials } from "../../demo/credentials.ts";
import { type IdentityProvider, startIdentityProvider } from "../../demo/identity-provider.ts";
import { demoSamples } from "../../demo/ids.ts";
import { type Server, type ServerOptions, startServer } from "../../src/server.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import type { DatabaseLocation } from "../../src/storage/open.ts";
import { openFresh } from "./fresh-store.ts";

/** A running service over a copy of the demo database, and all that is needed to call it. */
export interface Marquee {
  readonly url: string;
  readonly server: Server;
  readonly store: Store;
  readonly address: DatabaseLocation;
  /** Opens one more store over the same database, as a second process would. */
  openAnother(): Promise<Store>;
  readonly identityProvider: IdentityProvider;
  /** Access tokens by role. */
  readonly tokens: Readonly<Record<"owner" | "editor" | "viewer" | "outsider", string>>;
  /** Keys of the projects `worldcup` and `sandbox`. */
  readonly keys: Readonly<Record<"public" | "preview" | "sandbox", string>>;
  readonly samples: typeof demoSamples;
  close(): Promise<void>;
}

/** Starts a service in this process on a free port; tests may change any of its options. */
export async function startMarquee(options: Partial<ServerOptions> = {}): Promise<Marquee> {
  const fresh = await openFresh("demo");
  const { store } = fresh;
  const identityProvider = await startIdentityProvider();
  const clock = options.clock ?? (() => new Date());
  const credentials = await issueDemoCredentials(store, undefined, clock());
  const server = await startServer({
    store,
    log: silentLog(),
    clock,
    identityIssuers: [identityProvider],
    reflection: true,
    // Whoever counts what is written wants nobody to write beside.
    runsActions: false,
    listen: { host: "127.0.0.1", port: 0 },
    ...options,
    limits: { cacheMib: 8, ...options.limits },
  });
  const [worldCup, sandbox] = credentials.projects;
  return {
    url: server.studioUrl,
    server,
    store,
    address: fresh.address,
    openAnother: fresh.openAnother,
    identityProvider,
    tokens: credentials.accounts,
    keys: {
      public: worldCup?.public_key ?? "",
      preview: worldCup?.preview_key ?? "",
      sandbox: sandbox?.public_key ?? "",
    },
    samples: demoSamples,
    async close() {
      await server.close(1_000);
      await identityProvider.close();
      await fresh.close();
    },
  };
}

/** Starts a server over a store in this process, on a free port and without identity providers. */
export function startOver(store: Store, options: Partial<ServerOptions> = {}): Promise<Server> {
  return startServer({
    store,
    log: silentLog(),
    clock: () => new Date(),
    identityIssuers: [],
    reflection: true,
    listen: { host: "127.0.0.1", port: 0 },
    ...options,
  });
}

/** A logger that writes nothing. */
export function silentLog(): Logger {
  return pino({ level: "silent" });
}
