import { describe, expect, test } from "vitest";
import { reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();
const EVENTS = "/svc.cda.cms.event.v1.EventService";

test.each([
  ["GET", "/cms/evnts/v1", "no route for GET /cms/evnts/v1; did you mean /cms/events/v1?"],
  [
    "GET",
    "/cms/event/v1/a b",
    "no route for GET /cms/event/v1/a%20b; did you mean /cms/events/v1/a%20b?",
  ],
  ["GET", "/cms/events/v1/", "no route for GET /cms/events/v1/; did you mean /cms/events/v1?"],
  [
    "POST",
    "/cms/records/v1:wirte",
    "no route for POST /cms/records/v1:wirte; did you mean /cms/records/v1:write?",
  ],
  ["GET", "/CMS/events/v1", "no route for GET /CMS/events/v1; did you mean /cms/events/v1?"],
  ["GET", "/cms/events", "no route for GET /cms/events; did you mean /cms/events/v1?"],
  ["GET", "/cms", "no route for GET /cms"],
  ["GET", "/wp-login.php", "no route for GET /wp-login.php"],
  [
    "POST",
    "/monetization/billing_events/v1/",
    expect.stringMatching("^no route for POST /monetization/billing_events/v1/"),
  ],
  [
    "GET",
    `/cms/events/v1/a/${"b/".repeat(2_000)}`,
    expect.stringMatching(/^no route for GET .{1,400}$/),
  ],
  ["POST", `${EVENTS}/GetEvnt`, `no method ${EVENTS}/GetEvnt; did you mean ${EVENTS}/GetEvent?`],
  [
    "POST",
    "/svc.cda.cms.EventService/GetEvent",
    `no method /svc.cda.cms.EventService/GetEvent; did you mean ${EVENTS}/GetEvent?`,
  ],
  ["POST", "/svc.x.Unknown/GetEvent", "no method /svc.x.Unknown/GetEvent"],
])("%s %s names the path that is probably meant", async (method, path, message) => {
  const got = await send(method, marquee.url + encodeURI(path), { token: marquee.tokens.owner });
  expect([got.status, reasonOf(got), got.json.message]).toEqual([404, "PATH_UNKNOWN", message]);
});

describe("a port of one API", async () => {
  const split = await useMarquee({ deliveryListen: { host: "127.0.0.1", port: 0 } });
  const DELIVERY = "; this port serves the Delivery API only";
  const STUDIO = "; this port serves the Studio API only";
  const studioEvents = "/svc.studio.cms.event.v1.EventService";

  test.each<["studioUrl" | "deliveryUrl", string, string, string]>([
    ["deliveryUrl", "GET", "/cms/events/v1", DELIVERY],
    ["deliveryUrl", "POST", `${studioEvents}/CreateEvent`, DELIVERY],
    ["deliveryUrl", "POST", `${studioEvents}/GetEvent`, DELIVERY],
    ["deliveryUrl", "POST", `${EVENTS}/GetEvnt`, `; did you mean ${EVENTS}/GetEvent?`],
    ["studioUrl", "POST", `${EVENTS}/ListEvents`, STUDIO],
    ["studioUrl", "POST", `${EVENTS}/GetEvent`, STUDIO],
    ["studioUrl", "GET", "/cms/event/v1", "; did you mean /cms/events/v1?"],
  ])("the %s names its API: %s %s", async (url, method, path, want) => {
    const { status, json } = await send(method, split.server[url] + path, {
      token: split.tokens.owner,
    });
    expect([status, json.message]).toEqual([404, expect.stringMatching(/^no (method|route for)/)]);
    expect(json.message.slice(json.message.indexOf(";"))).toBe(want);
  });
});

test("a credential in an unknown path is not repeated", async () => {
  const { owner } = marquee.tokens;
  const got = await send("GET", `${marquee.url}/cms/evnts/v1/${owner}`, {});
  expect(got.text).toContain("/cms/events/v1/");
  expect(got.text).not.toContain(owner);
});

test("a method that a path lacks is answered with those that it has, and its verbs", async () => {
  const { owner: token } = marquee.tokens;
  const got = await send("POST", `${marquee.url}/cms/releases/v1/finals:publish`, { token });
  const message = "this path allows DELETE, GET, HEAD, PATCH only; its verbs: :check, :apply";
  expect([got.status, reasonOf(got), got.json.message]).toEqual([
    405,
    "METHOD_NOT_ALLOWED",
    message,
  ]);
});
