import { describe, expect, test } from "vitest";
import { PROCEDURES } from "../harness/calls.ts";
import { BUF, type Finished, run } from "../harness/process.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();
const hidden = await useMarquee({ reflection: false });

const buf = (...args: string[]): Promise<Finished> => run(BUF, ["curl", ...args]);

/** The schema that is committed, which is read in half the time that `proto` takes to compile. */
const IMAGE = "gen/schema.binpb.gz";

const PRIOR = "--http2-prior-knowledge";

describe.concurrent("buf curl", () => {
  const ways: [string, string[]][] = [
    ["connect by reflection", ["--protocol", "connect", PRIOR]],
    ["grpc by reflection", ["--protocol", "grpc", PRIOR]],
    ["grpcweb by reflection", ["--protocol", "grpcweb", PRIOR]],
    ["connect over HTTP/1.1 by schema", ["--protocol", "connect", "--schema", IMAGE]],
    ["connect over HTTP/2 by schema", ["--protocol", "connect", PRIOR, "--schema", IMAGE]],
    ["grpc by schema", ["--protocol", "grpc", PRIOR, "--schema", "proto"]],
    ["grpcweb over HTTP/1.1 by schema", ["--protocol", "grpcweb", "--schema", IMAGE]],
  ];
  for (const [name, options] of ways) {
    test(`calls delivery: ${name}`, async () => {
      const got = await buf(
        ...options,
        ...["-H", `Authorization: Bearer ${marquee.keys.public}`],
        ...["-d", '{"pageSize": 2}', marquee.url + PROCEDURES.listEvents],
      );
      expect(got.stderr).toBe("");
      expect(got.code).toBe(0);
      expect(JSON.parse(got.stdout).events).toHaveLength(2);
    });
  }

  test("shows an error with its code and reason", async () => {
    const got = await buf(PRIOR, "-d", "{}", marquee.url + PROCEDURES.listEvents);
    expect(got.code).not.toBe(0);
    expect(JSON.parse(got.stderr)).toMatchObject({ code: "unauthenticated" });
    expect(got.stderr).toContain("CREDENTIALS_MISSING");
  });

  test("lists services", async () => {
    const services = await buf(PRIOR, "--list-services", marquee.url);
    expect(services.stderr).toBe("");
    const names = services.stdout.trim().split("\n");
    for (const name of [
      "svc.cda.cms.event.v1.EventService",
      "svc.studio.annotations.annotation.v1.AnnotationService",
      "grpc.health.v1.Health",
      "grpc.reflection.v1.ServerReflection",
      "grpc.reflection.v1alpha.ServerReflection",
    ]) {
      expect(names).toContain(name);
    }
    expect(names).toEqual([...names].sort());
  });

  test("finds nothing where reflection is turned off", async () => {
    const listed = await buf(PRIOR, "--protocol", "grpc", "--list-services", hidden.url);
    expect(listed.code).not.toBe(0);
    expect(listed.stdout).toBe("");
    expect(listed.stderr).toContain("unimplemented");
  });

  test("lists methods", async () => {
    const { stdout } = await buf(PRIOR, "--list-methods", marquee.url);
    expect(stdout).toContain("svc.cda.cms.event.v1.EventService/ListEvents");
    expect(stdout).toContain("RulesetService/CreateRuleset");
  });

  test("checks the health of a service", async () => {
    const url = marquee.url + PROCEDURES.checkHealth;
    const one = '{"service": "svc.cda.cms.event.v1.EventService"}';
    const known = await buf(PRIOR, "-d", one, url);
    expect(JSON.parse(known.stdout)).toEqual({ status: "SERVING" });
    const other = await buf(PRIOR, "-d", '{"service": "x.Y"}', url);
    expect(JSON.parse(other.stderr)).toMatchObject({ code: "not_found" });
  });
});
