import { describe, expect, test } from "vitest";
import { createFindClient } from "../../src/network/client.ts";
import { parseNetwork } from "../../src/network/ip-address.ts";
import { openCases } from "../harness/cases.ts";

const each = openCases("network/client");

const toNetworks = (texts: readonly string[]) => texts.flatMap((it) => parseNetwork(it) ?? []);

describe("behind trusted proxies the client is the first address from the right that is none", () => {
  const find = createFindClient(toNetworks(["10.0.0.0/8", "fd00::/8", "203.0.113.7"]));

  each<[string, string, string | undefined, string]>(
    "behind trusted proxies the client is the first address from the right that is none",
    (_name, peer, forwardedFor, want) => {
      expect(find({ peer, forwardedFor })).toEqual({ address: want, trustsHeaders: true });
    },
  );

  test.each(["198.51.100.9", "::ffff:198.51.100.9", "2001:db8::9", "203.0.113.8"])(
    "%s is no proxy, so its headers say nothing",
    (peer) => {
      const { address, trustsHeaders } = find({ peer, forwardedFor: "1.1.1.1, 10.0.0.2" });
      expect([address, trustsHeaders]).toEqual([peer.replace("::ffff:", ""), false]);
    },
  );

  test("a client that has left has no address, and nothing of it is believed", () => {
    const gone = { address: "", trustsHeaders: false };
    expect(find({ peer: undefined, forwardedFor: "1.1.1.1" })).toEqual(gone);
  });
});

test("where no proxy is trusted, X-Forwarded-For says nothing and other headers are believed", () => {
  const find = createFindClient([]);
  expect(find({ peer: "10.0.0.1", forwardedFor: "1.1.1.1" })).toEqual({
    address: "10.0.0.1",
    trustsHeaders: true,
  });
});
