import { expect } from "vitest";
import { Code } from "../../../src/domain/base/errors.ts";
import { revisionOf } from "../../harness/revision.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const FIRST = { secret: "whsec_1", createTime: new Date(1_000_123) };
const SECOND = {
  ...{ secret: "whsec_2", createTime: new Date(2_000_456) },
  previous: { secret: "whsec_1", expireTime: new Date(3_000_789) },
};

/** Holds the store of billing integrations. */
export function billingIntegrationContract(scenario: Scenario): void {
  const data = createSmallDataset();

  scenario("none is there before it is put, and each is a project's own", data, async (store) => {
    const { billingIntegrations } = store;
    expect(await billingIntegrations.find(ALPHA)).toBeUndefined();
    const put = await billingIntegrations.put(ALPHA, (current) => {
      expect(current).toBeUndefined();
      return FIRST;
    });
    expect(put.value).toEqual(FIRST);
    expect(await billingIntegrations.find(ALPHA)).toEqual(put);
    expect(await billingIntegrations.find(BETA)).toBeUndefined();
    expect(await billingIntegrations.find("none")).toBeUndefined();
  });

  scenario("the newest takes the place of the one before", data, async (store) => {
    const { billingIntegrations } = store;
    const first = await billingIntegrations.put(ALPHA, () => FIRST);
    const second = await billingIntegrations.put(ALPHA, (current) => {
      expect(current).toEqual(first);
      return SECOND;
    });
    expect(second.revision).toBeGreaterThan(first.revision);
    expect(await billingIntegrations.find(ALPHA)).toEqual({ ...second, value: SECOND });
    await billingIntegrations.put(ALPHA, () => FIRST);
    expect((await billingIntegrations.find(ALPHA))?.value).toEqual(FIRST);
  });

  scenario("what is thrown undoes it, and an unknown project has none", data, async (store) => {
    const { billingIntegrations } = store;
    const before = await revisionOf(store, ALPHA);
    const error = new Error("no");
    const reject = () => {
      throw error;
    };
    await expect(billingIntegrations.put(ALPHA, reject)).rejects.toBe(error);
    expect(await revisionOf(store, ALPHA)).toBe(before);
    await expect(billingIntegrations.put("none", () => FIRST)).rejects.toMatchObject({
      code: Code.NOT_FOUND,
    });
  });
}
