import { afterEach, expect, test, vi } from "vitest";
import { LIVE_MATCH, LiveMatch } from "../../demo/live-match.ts";
import { getUrl } from "../harness/calls.ts";
import { send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();

const createMatch = () =>
  new LiveMatch({ studioUrl: marquee.url, accessToken: marquee.tokens.owner });

afterEach(() => vi.useRealTimers());

/** Reads the event of the match as a website does. */
async function readMatch() {
  const get = getUrl("/svc.cda.cms.event.v1.EventService/GetEvent", { id: LIVE_MATCH });
  return (await send("GET", `${marquee.url}${get}&key=${marquee.keys.public}`)).json.event;
}

const readScore = async () => {
  const { home, away } = (await readMatch()).fields.score;
  return `${home}:${away}`;
};

test("the goals of the match follow each other to its result, and begin again", async () => {
  const match = createMatch();
  const { fields } = await readMatch();
  const scores: string[] = [];
  for (let step = 0; step < 8; step += 1) {
    await match.next();
    scores.push(await readScore());
  }
  expect(scores).toEqual(["0:0", "1:0", "2:0", "2:1", "2:2", "3:2", "3:3", "0:0"]);
  const { score } = fields;
  expect(scores[6]).toBe(`${score.home}:${score.away}`);
  const last = (await readMatch()).fields;
  expect(last).toEqual({ ...fields, score: { ...score, home: 0, away: 0 } });
});

test("a goal is written each time that its seconds have passed, until the end", async () => {
  const match = createMatch();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  await match.start(20);
  expect(await readScore()).toBe("0:0");
  vi.advanceTimersByTime(19_999);
  expect(await readScore()).toBe("0:0");
  vi.advanceTimersByTime(1);
  await expect.poll(readScore).toBe("1:0");
  match.close();
  expect(vi.getTimerCount()).toBe(0);
});
