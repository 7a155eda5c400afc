import { expect, test } from "vitest";
import { type HttpAnswer, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { findMethods, type JsonMessage, toFaceRequests } from "./methods.ts";
import { resourceBodies } from "./resource-bodies.ts";

const marquee = await useMarquee();

const METHODS = await findMethods();

async function call(name: string, service: string, message: JsonMessage): Promise<HttpAnswer> {
  const method = METHODS.find((it) => it.parent.typeName === service && it.name === name);
  if (method === undefined) throw new Error(`${service} has no ${name}`);
  const request = toFaceRequests(method, message).find(({ face }) => face === "Connect POST");
  if (request === undefined) throw new Error(`${name} has no Connect POST`);
  const { path, headers, body } = request;
  const got = await send(request.method, marquee.url + path, {
    headers: { ...headers, authorization: `Bearer ${marquee.tokens.owner}` },
    ...(body !== undefined && { body }),
  });
  expect(got.status, JSON.stringify(got.json)).toBe(200);
  return got;
}

const CHANGEABLE = Object.entries(resourceBodies).flatMap(([service, body]) =>
  body.change === undefined ? [] : [{ service, body, change: body.change }],
);

test("many resources can be changed", () => {
  expect(CHANGEABLE.length).toBeGreaterThan(12);
});

for (const { service, body, change } of CHANGEABLE) {
  test(`${service}: an update that changes nothing keeps entity tag and update time`, async () => {
    const creation = METHODS.find(
      (it) => it.parent.typeName === service && it.name.startsWith("Create"),
    );
    const noun = creation?.name.slice("Create".length) ?? "";
    const idField = `${noun.charAt(0).toLowerCase()}${noun.slice(1)}Id`;
    const field = creation?.input.fields[0]?.localName ?? "";
    await call(`Create${noun}`, service, {
      [field]: body.resource,
      [idField]: "unchanged",
      ...body.extra,
    });
    const updating = METHODS.find(
      (it) => it.parent.typeName === service && it.name === `Update${noun}`,
    );
    const update = {
      [idField]: "unchanged",
      [updating?.input.fields[1]?.localName ?? ""]: change,
      updateMask: Object.keys(change).join(","),
    };
    const first = await call(`Update${noun}`, service, update);
    const again = await call(`Update${noun}`, service, update);
    expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
    expect(again.json).toEqual(first.json);
  });
}
