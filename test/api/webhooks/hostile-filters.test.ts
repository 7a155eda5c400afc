import { expect, test } from "vitest";
import { send } from "../../harness/http.ts";
import { expectWithin, MACHINE, watchTurns } from "../../harness/turns.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { toHostileFilter } from "../hostile-filter.ts";
import { flat } from "../widest-messages.ts";

const { tokens, url } = await useMarquee();

async function call(method: string, path: string, body: object) {
  const got = await send(method, `${url}${path}`, { token: tokens.owner, body });
  expect(got.status, got.text).toBe(200);
}

const IDS = Array.from({ length: 20 }, (_, number) => `hostile-${number}`);

/** Writes events, as many in a call as have 20,000 values; a mask writes one value of all of them. */
async function write(fields: (number: number) => object, atOnce: number, mask?: string) {
  for (let from = 0; from < IDS.length; from += atOnce) {
    const records = IDS.slice(from, from + atOnce).map((id, index) => ({
      event: { id, fields: fields(from + index) },
      ...(mask && { fields_mask: mask }),
    }));
    await call("POST", "/cms/records/v1:write", { project_id: "worldcup", records });
  }
}

test("the filters of webhooks hold others up for a short time, however large the resources are", async () => {
  await write((number) => flat(4_800, number), 4);
  const measure = (value: number) =>
    watchTurns(() => write(() => ({ q0: value }), IDS.length, "fields.q0"));
  const before = await measure(-1);
  for (let number = 0; number < 20; number += 1) {
    const filter = toHostileFilter();
    const webhook = { project_id: "worldcup", name: "h", url: "https://a.example", filter };
    await call("POST", `/cms/webhooks/v1?webhook_id=hostile-${number}`, webhook);
  }
  const after = await measure(-2);
  // Without a limit, a turn takes two seconds on a machine of 2025.
  expectWithin(after.longest, 30 * MACHINE);
  expectWithin(after.busy, before.busy + 150 * MACHINE);
}, 60_000);
