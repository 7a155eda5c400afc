import { expect, test } from "vitest";
import { reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { findMethods, type JsonMessage, toFaceRequests } from "./methods.ts";
import { resourceBodies } from "./resource-bodies.ts";

const marquee = await useMarquee();

const METHODS = await findMethods();
const CREATES = METHODS.filter(
  ({ parent, name }) => parent.typeName in resourceBodies && /^Create[A-Z]/.test(name),
);

for (const method of CREATES) {
  const { typeName, methods } = method.parent;
  const noun = method.name.slice("Create".length);
  const idField = `${noun[0]?.toLowerCase()}${noun.slice(1)}Id`;
  const body = resourceBodies[typeName];
  const creation = {
    [method.input.fields[0]?.localName ?? ""]: body?.resource,
    [idField]: "if-match",
    ...body?.extra,
  };

  for (const { face } of toFaceRequests(method, creation)) {
    test(`${method.name} with an If-Match is a mismatch and creates nothing, over ${face}`, async () => {
      for (const tag of ['"other"', "*"]) {
        const got = await call(method, creation, face, { "if-match": tag });
        expect([got.status, reasonOf(got)]).toEqual([409, "ETAG_MISMATCH"]);
      }
      const get = methods.find(({ name }) => name === `Get${noun}`);
      if (get === undefined) throw new Error(`${typeName} has no Get${noun}`);
      expect((await call(get, { [idField]: "if-match" }, face)).status).toBe(404);
    });
  }
}

function call(
  method: (typeof METHODS)[number],
  message: JsonMessage,
  face: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const requests = toFaceRequests(method, message);
  const request = requests.find((it) => it.face === face) ?? requests[0];
  if (request === undefined) throw new Error(`${method.name} has no face`);
  return send(request.method, marquee.url + request.path, {
    token: marquee.tokens.owner,
    headers: { ...request.headers, ...headers },
    ...(request.body !== undefined && { body: request.body }),
  });
}
