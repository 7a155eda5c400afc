import type { PathEndpoint } from "../src/server/endpoints.ts";
import type { Store } from "../src/storage/contract/store.ts";
import { issueDemoCredentials } from "./credentials.ts";
import { type DemoFile, readDemoFile, writeDemoFile } from "./demo-file.ts";
import { type IdentityProvider, startIdentityProvider } from "./identity-provider.ts";
import { demoSamples, ORGANIZATION, OTHER_ORGANIZATION, SANDBOX, WORLD_CUP } from "./ids.ts";
import { openPictures } from "./picture-endpoint.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

/** The lifetime of the demo's identity token, in milliseconds. */
const TOKEN_LIFETIME = 7 * 24 * 3_600_000;

/** The `iss` of its identity tokens, the same after every start, which keeps the users' ids stable. */
const ISSUER = "urn:marquee:demo";

/** The demo's own servers. */
export interface Demo {
  readonly identityProvider: IdentityProvider;
  readonly receiver: Receiver;
  /** The pictures that its records name. */
  readonly endpoints: readonly PathEndpoint[];
  /** Writes the demo file once the server is ready, and returns its contents. */
  announce(urls: { studioUrl: string; deliveryUrl: string }, now: Date): Promise<DemoFile>;
}

/** The options of the demo. */
export interface DemoOptions {
  readonly demoFile: string;
  readonly clock: () => Date;
  /** Loads the demo's organizations into the database. */
  readonly load: () => Promise<void>;
}

/**
 * Prepares the demo: loads its organizations into an empty database, and starts its identity provider and
 * the receiver of its actions. Undefined if the database contains other data.
 */
export async function startDemo(
  store: Store,
  { demoFile, clock, load }: DemoOptions,
): Promise<Demo | undefined> {
  if (await store.isEmpty()) await load();
  if (!(await holdsDemo(store))) return undefined;

  const identityProvider = await startIdentityProvider(ISSUER);
  const { actionRuns } = store;
  const receiver = await startReceiver({ findSecret: (id) => actionRuns.findSecret(id), clock });
  return {
    identityProvider,
    receiver,
    endpoints: [openPictures()],
    async announce({ studioUrl, deliveryUrl }, now) {
      const credentials = await issueDemoCredentials(store, readDemoFile(demoFile), now);
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

/** Reports whether the subjects of the demo's credentials exist; an interrupted import may have created only some. */
async function holdsDemo({ access }: Store): Promise<boolean> {
  const resources = [
    ...(await access.locate("project", [WORLD_CUP, SANDBOX])),
    ...(await access.locate("account", OWN_ACCOUNTS, ORGANIZATION)),
  ];
  const ofDemo = resources.filter(({ organizationId }) => organizationId === ORGANIZATION);
  const others = await access.locate("account", [OUTSIDER], OTHER_ORGANIZATION);
  return ofDemo.length === 2 + OWN_ACCOUNTS.length && others.length === 1;
}

const OWN_ACCOUNTS = ["account-owner", "account-editor", "account-viewer"];
const OUTSIDER = "account-outsider";
