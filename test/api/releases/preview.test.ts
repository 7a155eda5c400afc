import { expect, test } from "vitest";
import { getUrl } from "../../harness/calls.ts";
import { rejection, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { idsOf } from "../delivery.ts";
import type { JsonMessage } from "../methods.ts";
import { ReleaseCalls } from "./releases.ts";

const marquee = await useMarquee();
const releases = new ReleaseCalls(marquee);
const EVENTS = "svc.cda.cms.event.v1.EventService";

/** Calls a read with a preview key, or another, and headers. */
const read = (
  procedure: string,
  message: JsonMessage,
  headers: Readonly<Record<string, string>> = {},
  token = marquee.keys.preview,
) => send("GET", `${marquee.url}/${getUrl(procedure, message)}`, { token, headers });
const through = (...ids: string[]) => ({ "x-release-id": ids.join(", ") });

test("an event of a release is read with a preview key", async () => {
  const id = await releases.createRelease("p1");
  await releases.createEvent("p1-new", { visibility: "VISIBILITY_PUBLISHED" }, id);
  await releases.patchEvent("match-2026-1", { title: { en: "Preview" } }, id);
  const got = await read(`${EVENTS}/GetEvent`, { id: "p1-new" }, through(id));
  expect(got.status, got.text).toBe(200);
  expect(got.json.event.id).toBe("p1-new");
  expect(got.headers.get("cache-control")).toBe("private, no-store");
  const message = { filter: 'title.en: "Preview"' };
  expect(idsOf(await read(`${EVENTS}/ListEvents`, message, through(id)), "events")).toEqual([
    "match-2026-1",
  ]);
  expect(idsOf(await read(`${EVENTS}/ListEvents`, message), "events")).toEqual([]);
  expect(rejection(await read(`${EVENTS}/GetEvent`, { id: "p1-new" }))).toEqual([
    404,
    "RESOURCE_NOT_FOUND",
  ]);
});
