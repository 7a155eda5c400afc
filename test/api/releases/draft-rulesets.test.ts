import { afterAll, expect, test } from "vitest";
import { startMarquee } from "../../harness/marquee.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

const marquee = await startMarquee();
afterAll(() => marquee.close());
const calls = new ReleaseCalls(marquee);
const inProject = { project_id: DEMO.projectId };
const RULESETS = "streaming/video_protection/v2/rulesets";

test("17: a ruleset of a release decides in simulations, and not in playback", async () => {
  const release_id = await calls.createRelease("rulesets");
  const id = "draft-video";
  const playlist_url = "https://v.example.com/a/a.m3u8";
  await calls.call("POST", `streaming/videos/v1?video_id=${id}`, {
    ...inProject,
    name: "V",
    playlist_url,
  });
  const play = async () => {
    const path = "svc.cda.streaming.playback.v1.PlaybackService/AuthorizePlayback";
    const got = await fetch(`${marquee.url}/${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "connect-protocol-version": "1",
        authorization: `Bearer ${marquee.keys.preview}`,
        "x-release-id": release_id,
        "x-preview-country": "DE",
      },
      body: JSON.stringify({ videoId: id, sessionKey: "s" }),
    });
    return [got.status, await got.json()] as const;
  };
  const simulate = (release_id = "") =>
    calls.call("POST", `${RULESETS}:simulate`, {
      ...{ ...inProject, video_id: id, viewer: { country_code: "DE" }, release_id },
    });
  const [status, first] = await play();
  expect([status, first]).toEqual([200, expect.anything()]);
  const before = await simulate();
  const ruleset = {
    ...{ ...inProject, name: "Not here", priority: "1000", target: { video_ids: [id] } },
    geo_restrictions_disallow: { country_codes: ["DE"] },
  };
  const query = `ruleset_id=draft-rule&release_id=${release_id}`;
  const created = await calls.send("POST", `${RULESETS}?${query}`, ruleset);
  expect([created.status, created.json]).toEqual([200, expect.anything()]);
  expect(await simulate()).toEqual(before);
  expect(await simulate(release_id)).toMatchObject({
    ...{ decision: "DECISION_DENY", ruleset_id: "draft-rule", reason: "GEO_NOT_ALLOWED" },
  });
  expect(await play()).toEqual([status, expect.anything()]);
});
