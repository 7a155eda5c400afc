import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../../harness/http.ts";
import { type Marquee, startMarquee } from "../../harness/marquee.ts";

let marquee: Marquee;
let headers: Record<string, string>;

beforeAll(async () => {
  marquee = await startMarquee();
  const { organization } = await write("POST", "/iam/organizations/v1", { name: "Other" });
  headers = { "x-organization-id": organization.id };
  const project = { organization_id: organization.id, name: "Other" };
  await write("POST", "/iam/projects/v1?project_id=other", project);
  await write("POST", "/cms/events/v1?event_id=final", { project_id: "other" });
});
afterAll(() => marquee.close());

/** Sends a write of the other organization. */
async function write(method: string, path: string, body: object) {
  const { json, status, text } = await send(method, marquee.url + path, {
    ...{ token: marquee.tokens.owner, headers, body },
  });
  expect(status, text).toBe(200);
  return json;
}

const countWaiting = () =>
  marquee.store.pools.find(({ name }) => name === "write")?.readState().waiting ?? 0;

const UPDATE = { event: { content_type: "match" }, update_mask: "content_type" };

test.each([
  ["an update", () => write("PATCH", "/cms/events/v1/final", UPDATE)],
  [
    "a write of records",
    () =>
      write("POST", "/cms/records/v1:write", {
        ...{ project_id: "other", records: [{ event: { id: "semifinal" } }] },
      }),
  ],
])(
  "%s waits for one of twelve long writes that another organization sent before it",
  async (_, sendWrite) => {
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const before = marquee.store.transaction("installation", () => {
      begun.resolve();
      return held.promise;
    });
    await begun.promise;
    const done: string[] = [];
    const many = Array.from({ length: 12 }, async (__, index) => {
      const event = { id: `event-${index}`, content_type: "match" };
      const body = { project_id: "worldcup", records: [{ event }] };
      const { url, tokens } = marquee;
      const sent = await send("POST", `${url}/cms/records/v1:write`, { token: tokens.owner, body });
      done.push("many");
      return sent.status;
    });
    await expect.poll(countWaiting).toBe(12);
    const one = sendWrite().then(() => done.push("one"));
    try {
      await expect.poll(countWaiting).toBe(13);
    } finally {
      held.resolve();
    }
    await Promise.all([before, one]);
    expect(new Set(await Promise.all(many))).toEqual(new Set([200]));
    expect(done.indexOf("one")).toBeLessThan(4);
  },
);
