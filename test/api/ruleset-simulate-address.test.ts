import { create } from "@bufbuild/protobuf";
import { afterEach, describe, expect, test } from "vitest";
import { SimulateRulesetsRequestSchema } from "../../gen/svc/studio/streaming/ruleset/v2/simulation_pb.ts";
import { createPreparedRulesets } from "../../src/api/delivery/prepared-rulesets.ts";
import { createProtectedVideos } from "../../src/api/delivery/protected-video.ts";
import { createSimulate } from "../../src/api/studio/ruleset-simulation.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { changeRulesets } from "./rulesets.ts";
import { deleteMade, VIDEO } from "./simulations.ts";

const marquee = await useMarquee();
afterEach(() => deleteMade(marquee));

describe("the address of a simulated viewer", () => {
  const simulateFrom = async (viewer: object) => {
    const asked: string[] = [];
    const simulate = createSimulate({
      protectedVideos: createProtectedVideos(marquee.store, createPreparedRulesets(marquee.store)),
      entitlements: { covers: async () => undefined },
      lookUpPlace: (address) => {
        asked.push(address);
        return { country: "DE", vpn: true };
      },
    });
    const init = { projectId: "worldcup", videoId: VIDEO, viewer };
    const got = await simulate(create(SimulateRulesetsRequestSchema, init), new Date());
    return { asked, reason: got.reason };
  };
  const { make } = changeRulesets(marquee, "REST");
  const rules = { priority: "1000", applies_to_all: true, disallow_vpn_usage: true };
  const german = { ...rules, geo_restrictions_disallow: { country_codes: ["DE"] } };

  test("is looked up for what is not given", async () => {
    await make(german);
    for (const ipAddress of ["192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1"]) {
      const got = await simulateFrom({ ipAddress });
      expect(got).toEqual({ asked: [ipAddress], reason: "GEO_NOT_ALLOWED" });
    }
  });

  test("gives way to a country and a VPN that are given", async () => {
    await make(german);
    const ipAddress = "192.0.2.1";
    const reasons = [
      (await simulateFrom({ ipAddress, countryCode: "at" })).reason,
      (await simulateFrom({ ipAddress, countryCode: "AT", vpn: false })).reason,
      (await simulateFrom({ ipAddress, vpn: false })).reason,
    ];
    expect(reasons).toEqual(["VPN_NOT_ALLOWED", "", "GEO_NOT_ALLOWED"]);
  });

  test("that is not given is not looked up", async () => {
    await make(german);
    expect(await simulateFrom({})).toEqual({ asked: [], reason: "" });
  });
});
