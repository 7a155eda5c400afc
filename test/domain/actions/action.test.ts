import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ActionSchema } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import { findActionHost } from "../../../src/domain/actions/action.ts";

const CASES: readonly (readonly [url: string, host: string])[] = [
  ["https://hooks.example.com/a?b", "hooks.example.com"],
  ["https://HOOKS.example.com:8443/", "hooks.example.com"],
  ["https://hooks.example.com./", "hooks.example.com"],
  ["http://127.0.0.1:1/", "127.0.0.1"],
  ["http://2130706433/", "127.0.0.1"],
  ["https://[2001:DB8:0::1]/", "[2001:db8::1]"],
  ["nothing", ""],
];

for (const [url, host] of CASES) {
  test(`${url} is sent to ${JSON.stringify(host)}`, () => {
    const webhook = { case: "webhook", value: { url } } as const;
    const connectCall = { case: "connectCall", value: { baseUrl: url } } as const;
    for (const kind of [webhook, connectCall]) {
      expect(findActionHost(create(ActionSchema, { kind }))).toBe(host);
    }
  });
}

test("an action of no kind is sent to no host", () => {
  expect(findActionHost(create(ActionSchema))).toBe("");
});
