import type { IdentityProvider } from "../../demo/identity-provider.ts";
import { connectHeaders, PROCEDURES } from "../../test/harness/calls.ts";
import { send } from "../../test/harness/http.ts";
import { pathOf } from "../../test/playback/playback-service.ts";

/** A viewer of the demo who is signed in. */
export interface Viewer {
  /** Starts or continues a stream; returns the status of the response. */
  play(sessionKey: string): Promise<number>;
}

/** The demo's video whose streams are limited. */
const VIDEO = "video-match-2026-104";

/** Lets users of these subjects play {@link VIDEO}, in at most three streams at the same time. */
export async function limitStreams(
  url: string,
  token: string,
  subjects: readonly string[],
): Promise<void> {
  const call = async (path: string, body: object) => {
    const got = await send("POST", url + path, {
      token,
      body: { project_id: "worldcup", ...body },
    });
    if (got.status !== 200) throw new Error(`${path}: ${got.text}`);
  };
  await call("/streaming/video_protection/v2/rulesets", {
    ...{ name: "limited", priority: "1000", target: { video_ids: [VIDEO] } },
    ...{ allow_all_geographies: true, allow_all_domains: true },
    ...{ require_authentication: true, require_entitlement: true },
    enforce_concurrency_limits: true,
  });
  await call("/monetization/offers/v1?offer_id=all", { name: "all", opens: { everything: true } });
  for (const user_id of subjects) {
    const granted = { user_id, offer_id: "all", start_time: "2026-01-01T00:00:00Z" };
    await call("/monetization/entitlements/v1", granted);
  }
}

/** Signs in a user with an identity token that is valid from `time` on. */
export async function signIn(
  url: string,
  key: string,
  { provider, subject, time }: { provider: IdentityProvider; subject: string; time: Date },
): Promise<Viewer> {
  const vendorIdToken = await provider.sign({
    ...{ subject, audience: "marquee-demo", issueTime: time },
    expireTime: new Date(time.getTime() + 12 * 3_600_000),
  });
  const { text, json } = await send("POST", url + PROCEDURES.exchangeToken, {
    ...{ headers: connectHeaders(key), body: { vendorIdToken } },
  });
  if (json?.token === undefined) throw new Error(`not signed in: ${text}`);
  return {
    async play(sessionKey) {
      const got = await send("POST", url + pathOf("AuthorizePlayback"), {
        headers: connectHeaders(json.token),
        body: { videoId: VIDEO, sessionKey },
      });
      if (![200, 429].includes(got.status)) console.error(got.text);
      return got.status;
    },
  };
}
