import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from "vitest";
import type { Store } from "../../../src/storage/contract/store.ts";
import { send } from "../../harness/http.ts";
import { startMarquee } from "../../harness/marquee.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const LIST = "/svc.cda.cms.event.v1.EventService/ListEvents";

const marquee = await useMarquee();

/** Counts how often the database is asked for events. */
let reads: MockInstance<Store["events"]["list"]>;
let tests = 0;
beforeEach(async () => {
  tests += 1;
  await rename(`the revision of test ${tests}`);
  reads = vi.spyOn(marquee.store.events, "list");
});
afterEach(() => reads.mockRestore());

const read = (message: string, token = marquee.keys.public, headers = {}) =>
  send("GET", `${marquee.url}${LIST}?encoding=json&message=${encodeURIComponent(message)}`, {
    token,
    headers,
  });

const rename = (name: string) =>
  send("PATCH", `${marquee.url}/ott/page_components/v2/banner-home`, {
    token: marquee.tokens.owner,
    body: { page_component_update: { name }, update_mask: "name" },
  });

const studio = (method: string, path: string, body?: object) =>
  send(method, marquee.url + path, { token: marquee.tokens.owner, ...(body && { body }) });

describe("a response to a public key", () => {
  test("is dropped by a change of its project", async () => {
    await read("{}");
    await rename("Changed");
    await read("{}");
    expect(reads).toHaveBeenCalledTimes(2);
  });

  test("is kept when only another project changes", async () => {
    await read("{}", marquee.keys.sandbox);
    await rename("Not the sandbox");
    await read("{}", marquee.keys.sandbox);
    expect(reads).toHaveBeenCalledTimes(1);
  });

  test("is kept when only a role changes", async () => {
    await read("{}");
    const body = { organization_id: "org-worldcup", name: "x", permissions: ["cms.events.get"] };
    expect((await studio("POST", "/iam/roles/v1", body)).status).toBe(200);
    await read("{}");
    expect(reads).toHaveBeenCalledTimes(1);
  });
});

describe("nothing is kept", () => {
  test("for a preview key", async () => {
    for (let time = 0; time < 2; time += 1) await read("{}", marquee.keys.preview);
    expect(reads).toHaveBeenCalledTimes(2);
  });

  test("of an error: the next one asks again", async () => {
    reads.mockRejectedValueOnce(new Error("broken once"));
    expect((await read("{}")).status).toBe(500);
    expect((await read("{}")).status).toBe(200);
  });

  test("where the setting says so", async () => {
    const bare = await startMarquee({ limits: { cacheMib: 0 } });
    const list = vi.spyOn(bare.store.events, "list");
    const url = `${bare.url}${LIST}?encoding=json&message={}`;
    for (let time = 0; time < 2; time += 1) await send("GET", url, { token: bare.keys.public });
    expect(list).toHaveBeenCalledTimes(2);
    await bare.close();
  });
});
