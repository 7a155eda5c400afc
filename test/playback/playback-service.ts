import { type IdentityProvider, startIdentityProvider } from "../../demo/identity-provider.ts";
import { parseNetwork } from "../../src/network/ip-address.ts";
import type { ServerOptions } from "../../src/server.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { connectHeaders, PROCEDURES } from "../harness/calls.ts";
import { type HttpResponse, send } from "../harness/http.ts";
import { type SmallMarquee, startSmallMarquee } from "../harness/small-marquee.ts";
import { createPlaybackDataset, NOW } from "./playback-dataset.ts";

/** The methods of playback. */
export type PlaybackMethod = "AuthorizePlayback" | "KeepPlayback" | "StopPlayback";

/** Where a call comes from, and of whom. */
export interface CallOrigin {
  /** The token in the Authorization header; without one the public key of alpha. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A service with videos to play, a clock to set and users to sign in. */
export interface PlaybackService extends SmallMarquee {
  readonly identityProvider: IdentityProvider;
  /** Lets so many milliseconds pass. */
  pass(milliseconds: number): void;
  now(): Date;
  /** Exchanges an identity token of a user for a viewer token; both end after so many seconds. */
  signIn(userId: string, key?: keyof SmallMarquee["keys"], seconds?: number): Promise<string>;
  call(method: PlaybackMethod, message: unknown, origin?: CallOrigin): Promise<HttpResponse>;
}

/** The path of a method. */
export function pathOf(method: PlaybackMethod): string {
  return `/svc.cda.streaming.playback.v1.PlaybackService/${method}`;
}

/** Starts a service behind a trusted proxy, which sends the viewer's IP address and place. */
export async function startPlaybackService(
  options: Partial<ServerOptions> = {},
  { origin, wrap }: { origin?: string; wrap?: (store: Store) => Store } = {},
): Promise<PlaybackService> {
  let now = NOW.getTime();
  const identityProvider = await startIdentityProvider();
  const loopback = parseNetwork("127.0.0.1");
  const marquee = await startSmallMarquee(
    createPlaybackDataset(origin === undefined ? {} : { origin }),
    {
      clock: () => new Date(now),
      identityIssuers: [identityProvider],
      location: {
        trustedProxies: loopback === undefined ? [] : [loopback],
        ...{ countryHeader: "x-country", vpnHeader: "x-vpn" },
      },
      ...options,
    },
    wrap,
  );

  return {
    ...marquee,
    identityProvider,
    pass: (milliseconds) => {
      now += milliseconds;
    },
    now: () => new Date(now),
    async signIn(userId, key = "public", seconds = 24 * 3_600) {
      const vendorIdToken = await identityProvider.sign({
        ...{ subject: userId, audience: "web", issueTime: new Date(now) },
        expireTime: new Date(now + seconds * 1_000),
      });
      const { json } = await send("POST", marquee.url + PROCEDURES.exchangeToken, {
        headers: connectHeaders(marquee.keys[key]),
        body: { vendorIdToken },
      });
      return json.token;
    },
    call: (method, message, { token = marquee.keys.public, headers = {} } = {}) =>
      send("POST", marquee.url + pathOf(method), {
        headers: { ...connectHeaders(token), "x-forwarded-for": "192.0.2.1", ...headers },
        body: message,
      }),
    async close() {
      await marquee.close();
      await identityProvider.close();
    },
  };
}
