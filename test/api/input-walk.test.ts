import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { access } from "../../gen/svc/options/v1/access_pb.ts";
import { ignore_query } from "../../gen/svc/options/v1/query_pb.ts";
import { type HttpResponse, reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { sampleOf } from "./method-samples.ts";
import {
  findMethods,
  type JsonMessage,
  procedureOf,
  sendRequest,
  toProtocolRequests,
} from "./methods.ts";

const marquee = await useMarquee();

const METHODS = (await findMethods()).filter((it) => it.parent.typeName.startsWith("svc.studio."));

test("there are methods to walk through", () => {
  expect(METHODS.length).toBeGreaterThanOrEqual(90);
});

/** Sends a message as the owner, over every protocol of a method. */
async function callAll(method: DescMethod, message: JsonMessage) {
  const responses: { readonly protocol: string; readonly got: HttpResponse }[] = [];
  for (const request of toProtocolRequests(method, message)) {
    const got = await sendRequest(marquee.url, request, marquee.tokens.owner);
    responses.push({ protocol: request.protocol, got });
  }
  return responses;
}

function withField(message: JsonMessage, path: readonly string[], value: string): JsonMessage {
  const [name = "", ...rest] = path;
  const key = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const isList = Array.isArray(message[key]);
  if (rest.length === 0) return { ...message, [key]: isList ? [value] : value };
  return { ...message, [key]: withField((message[key] ?? {}) as JsonMessage, rest, value) };
}

for (const method of METHODS) {
  describe(procedureOf(method), () => {
    const { rule } = getOption(method, access);

    test.skipIf(getOption(method, ignore_query) && method.idempotency === 1)(
      "a field that nobody knows is rejected by its name, over every protocol",
      async () => {
        const message = { ...(await sampleOf(marquee, method)), noSuchField: "x" };
        for (const { protocol, got } of await callAll(method, message)) {
          expect([protocol, got.status], got.text).toEqual([protocol, 400]);
          expect(got.text).toMatch(/noSuchField|no_such_field/);
        }
      },
    );

    if (rule.case === "permission" && rule.value.resourceField !== "") {
      test("an id that nobody knows is not found, over every protocol, and nothing is written", async () => {
        const path = rule.value.resourceField.split(".");
        const message = withField(await sampleOf(marquee, method), path, "no-such-thing");
        const before = marquee.store.accessVersion();
        for (const { protocol, got } of await callAll(method, message)) {
          expect([protocol, got.status, reasonOf(got)]).toEqual([
            protocol,
            404,
            "RESOURCE_NOT_FOUND",
          ]);
        }
        expect(marquee.store.accessVersion()).toBe(before);
      });
    }
  });
}
