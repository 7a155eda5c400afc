import type { Store } from "../storage/store.ts";
import { issueDemoCredentials } from "./credentials.ts";
import { type DemoFile, readDemoFile, writeDemoFile } from "./demo-file.ts";
import { type IdentityProvider, startIdentityProvider } from "./identity-provider.ts";
import { ORGANIZATION, WORLD_CUP } from "./ids.ts";
import { demoSamples } from "./samples.ts";

/** How long the demo's identity token lasts, in milliseconds. */
const TOKEN_LIFETIME = 7 * 24 * 3_600_000;

/** The demo's own parts beside the server. */
export interface Demo {
  readonly identityProvider: IdentityProvider;
  /** Writes the demo file; to be called when the server answers. Returns what it wrote. */
  announce(urls: { studioUrl: string; deliveryUrl: string }, now: Date): Promise<DemoFile>;
}

/**
 * Prepares the demo: loads its organizations into an empty database and starts its identity
 * provider. `undefined` if the database holds something else.
 */
export async function startDemo(store: Store, demoFile: string): Promise<Demo | undefined> {
  if (await store.isEmpty()) {
    const { createDemoDataset } = await import("./dataset.ts");
    await store.load(createDemoDataset());
  }
  const [project] = await store.access.locate("project", [WORLD_CUP]);
  if (project?.organizationId !== ORGANIZATION) return undefined;

  const identityProvider = await startIdentityProvider();
  return {
    identityProvider,
    async announce({ studioUrl, deliveryUrl }, now) {
      const credentials = await issueDemoCredentials(store.access, readDemoFile(demoFile), now);
      const content: DemoFile = {
        base_url: studioUrl,
        cda_url: deliveryUrl,
        organization_id: ORGANIZATION,
        ...credentials,
        vendor_id_token: await identityProvider.sign({
          subject: "viewer-1",
          audience: "marquee-demo",
          issueTime: now,
          expireTime: new Date(now.getTime() + TOKEN_LIFETIME),
        }),
        samples: demoSamples,
      };
      writeDemoFile(demoFile, content);
      return content;
    },
  };
}
