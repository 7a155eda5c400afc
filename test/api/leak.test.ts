import type { DescMethod } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { useUnlimitedTime } from "../harness/unlimited-time.ts";
import { type Exchange, exchange } from "./leak/exchange.ts";
import { createProbes, type MethodProbes } from "./leak/probes.ts";
import { type LeakServices, startLeakServices } from "./leak/service.ts";
import { findWords, VARIANTS } from "./leak/variants.ts";
import { BINARY_FORMS, toText, type WireResponse } from "./leak/wire.ts";
import { findMethods, procedureOf } from "./methods.ts";

const METHODS = (await findMethods()).filter((it) => it.parent.typeName.startsWith("svc.cda."));
useUnlimitedTime();
let services: LeakServices;
let probesOf: Readonly<Record<string, MethodProbes>>;
beforeAll(async () => {
  services = await startLeakServices();
  probesOf = await createProbes(services.identityProvider);
});
afterAll(() => services.close());

/** The longest time that the probes of one method take on a slow machine, in milliseconds. */
const MOST_TIME = 120_000;

async function sendProbes(method: DescMethod): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  for (const [index, probe] of (probesOf[procedureOf(method)]?.probes ?? []).entries()) {
    // All forms have the response of the same call: one probe of six is sent in each form beside JSON.
    exchanges.push(...(await exchange(services, method, probe, BINARY_FORMS[index % 6])));
  }
  return exchanges;
}

const describeRequest = ({ form, probe }: Exchange) => `${form} ${JSON.stringify(probe.message)}`;

test("every delivery method has probes, and no probe is left over", () => {
  expect(Object.keys(probesOf).sort()).toEqual(METHODS.map(procedureOf).sort());
});

for (const method of METHODS) {
  describe(procedureOf(method), () => {
    let exchanges: Exchange[];
    beforeAll(async () => {
      exchanges = await sendProbes(method);
    }, MOST_TIME);

    const isComparable = ({ status }: WireResponse) =>
      status !== 200 || probesOf[procedureOf(method)]?.isSigned !== true;

    test("no request holds a word that a response must not hold", () => {
      expect(exchanges.length).toBeGreaterThan(5);
      expect(new Set(exchanges.map(({ form }) => form)).size).toBe(3);
      expect(exchanges.flatMap((it) => findWords(JSON.stringify(it.probe.message)))).toEqual([]);
    });

    test("the requests reach success and errors, but no 5xx", () => {
      const statuses = exchanges.map(({ all }) => all.status);
      expect(statuses).toContain(200);
      expect(Math.max(...statuses)).toBeGreaterThanOrEqual(400);
      expect(Math.max(...statuses)).toBeLessThan(500);
    });

    test("no response, no error and no header holds a word of what is not shown", () => {
      const wrong = exchanges.flatMap((it) => {
        const words = findWords(toText(it.all));
        const allowed = it.probe.seesUnlisted === true ? [VARIANTS.unlisted.word] : [];
        const leaked = words.filter((word) => !allowed.includes(word));
        return leaked.length === 0 ? [] : [`${describeRequest(it)}: ${leaked}`];
      });
      expect(wrong).toEqual([]);
    });

    test("responds to the byte as if what is hidden, or another project's, did not exist", () => {
      const different = exchanges.filter(
        ({ all, withUnlisted }) => isComparable(all) && toText(all) !== toText(withUnlisted),
      );
      expect(different.map(describeRequest)).toEqual([]);
    });

    test("lists to the byte as if what is unlisted did not exist", () => {
      const different = exchanges.filter(
        ({ probe, all, publishedOnly }) =>
          isComparable(all) &&
          publishedOnly !== undefined &&
          probe.seesUnlisted !== true &&
          toText(all) !== toText(publishedOnly),
      );
      expect(different.map(describeRequest)).toEqual([]);
    });

    test("shows all of the project to the preview key, and nothing of another", () => {
      const { isBlind = false } = probesOf[procedureOf(method)] ?? {};
      const words = exchanges.flatMap(({ preview }) =>
        preview === undefined ? [] : findWords(toText(preview)),
      );
      const { foreign, ...ofProject } = VARIANTS;
      const own = Object.values(ofProject).map(({ word }) => word);
      expect([...new Set(words)].sort()).toEqual(isBlind ? [] : own.sort());
    });
  });
}
