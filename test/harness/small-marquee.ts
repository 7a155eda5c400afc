import type { Dataset } from "../../demo/data/dataset-records.ts";
import { createToken, hashToken } from "../../src/auth/token.ts";
import type { ServerOptions } from "../../src/server.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { keepProjectKey } from "../storage/project-key.ts";
import { ALPHA, BETA } from "../storage/small-dataset.ts";
import { openFresh } from "./fresh-store.ts";
import { type Marquee, startOver } from "./marquee.ts";

/** A running service over a dataset of a test's own. */
export interface SmallMarquee extends Pick<Marquee, "url" | "store"> {
  /** The keys of the project alpha; `sandbox` is the public key of beta. */
  readonly keys: Marquee["keys"];
  close(): Promise<void>;
}

/**
 * Starts a service in this process over a new database that holds a dataset; `wrap` comes between the
 * two.
 */
export async function startSmallMarquee(
  dataset: Dataset,
  options: Partial<ServerOptions> = {},
  wrap: (store: Store) => Store = (store) => store,
): Promise<SmallMarquee> {
  const { store, close } = await openFresh(dataset);
  const createKey = async (projectId: string, kind: "public" | "preview") => {
    const token = createToken(kind);
    await keepProjectKey(store, projectId, kind, hashToken(token));
    return token;
  };
  const keys = {
    public: await createKey(ALPHA, "public"),
    preview: await createKey(ALPHA, "preview"),
    sandbox: await createKey(BETA, "public"),
  };
  const server = await startOver(wrap(store), { reflection: false, ...options });
  return {
    url: server.deliveryUrl,
    store,
    keys,
    async close() {
      await server.close(1_000);
      await close();
    },
  };
}
