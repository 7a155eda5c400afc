import type { IdentityIssuer } from "../src/auth/identity-token.ts";
import { type Address, toUrl } from "../src/http/listener/listener.ts";
import type { Server, ServerOptions } from "../src/server.ts";
import type { Store } from "../src/storage/contract/store.ts";
import type { DatabaseLocation } from "../src/storage/open.ts";
import { describeDemo } from "./banner.ts";
import { issueDemoCredentials } from "./credentials.ts";
import { type DemoFile, readDemoFile, writeDemoFile } from "./demo-file.ts";
import { DemoLink } from "./demo-link.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import { demoSamples, ORGANIZATION, OTHER_ORGANIZATION, SANDBOX, WORLD_CUP } from "./ids.ts";
import { LiveMatch } from "./live-match.ts";
import { loadDemo } from "./load.ts";
import { openPictures } from "./picture-endpoint.ts";
import { startReceiver } from "./receiver.ts";

/** The lifetime of the demo's identity token, in milliseconds. */
const TOKEN_LIFETIME = 7 * 24 * 3_600_000;

/** The `iss` of its identity tokens, the same after every start, which keeps the users' ids stable. */
const ISSUER = "urn:marquee:demo";

/** The settings of the demo. */
export interface DemoSettings {
  readonly database: DatabaseLocation;
  /** Where the Delivery API will listen. */
  readonly delivery: Address;
  readonly demoFile: string;
  /** The seconds between the goals of its match; 0 for none. */
  readonly demoGoals: number;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Prepares the demo: loads its organizations into an empty database, and starts its identity provider and
 * the receiver of its actions. Undefined if the database contains other data.
 */
export async function startDemo(
  store: Store,
  { database, delivery, demoFile, demoGoals, env }: DemoSettings,
) {
  if (await store.isEmpty()) await loadDemo(database, urlOfPictures(delivery), env);
  if (!(await holdsDemo(store))) return undefined;

  const identityProvider = await startIdentityProvider(ISSUER);
  const { actionRuns } = store;
  const demoLink = new DemoLink();
  const receiver = await startReceiver({
    findSecret: (id) => actionRuns.findSecret(id),
    clock: () => new Date(),
  });
  let liveMatch: LiveMatch | undefined;
  return {
    /** Adds what the demo serves and trusts to the options of the server. */
    extend: (options: ServerOptions): ServerOptions => ({
      ...options,
      endpoints: [openPictures(), demoLink.endpoint],
      localTargets: receiver.localTargets,
      identityIssuers: addIssuer(options.identityIssuers, identityProvider),
    }),
    /** Writes the demo file for a server that listens, and returns the text to print. */
    async announce(
      { studioUrl, deliveryUrl }: Pick<Server, "deliveryUrl" | "studioUrl">,
      now: Date,
    ): Promise<string> {
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
      if (demoGoals > 0) {
        liveMatch = new LiveMatch({ studioUrl, accessToken: credentials.accounts.owner });
        await liveMatch.start(demoGoals);
      }
      const link = demoLink.create(studioUrl, credentials.accounts.owner, now);
      return describeDemo(content, demoFile, { receiverUrl: receiver.url, demoLink: link });
    },
    async close() {
      liveMatch?.close();
      await receiver.close();
      await identityProvider.close();
    },
  };
}

/** Returns the URL of the demo's pictures for browsers on this machine. */
function urlOfPictures({ host, port }: Address): string {
  return toUrl({ host: /^(0\.0\.0\.0|::)$/.test(host) ? "localhost" : host, port });
}

/** Adds the demo's issuer. The users of a sole configured issuer keep the ids that they have without the demo. */
function addIssuer(
  configured: readonly IdentityIssuer[],
  demo: IdentityIssuer,
): readonly IdentityIssuer[] {
  const isOnly = configured.length === 1;
  return [...configured.map((it) => ({ ...it, ...(isOnly && { isPrimary: true }) })), demo];
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
