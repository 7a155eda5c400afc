import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { SignInIntegrationSchema } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

/** Holds the store of sign-in integrations. */
export function signInIntegrationContract(scenario: Scenario): void {
  const data = createSmallDataset();
  const toIntegration = (projectId: string, ...audiences: string[]) =>
    create(SignInIntegrationSchema, { projectId, audiences });

  scenario("a project's integration is found by its id, case and all", data, async (store) => {
    const found = await store.signInIntegrations.find(ALPHA);
    expect(found?.value.audiences).toEqual(["web"]);
    expect(await store.signInIntegrations.find(BETA)).toBeUndefined();
    expect(await store.signInIntegrations.find("Alpha")).toBeUndefined();
  });

  scenario("the first put makes one, the second replaces it", data, async (store) => {
    const first = await store.signInIntegrations.put(BETA, (current) => {
      expect(current).toBeUndefined();
      return toIntegration(BETA, "a");
    });
    expect(await store.signInIntegrations.find(BETA)).toEqual(first);
    const second = await store.signInIntegrations.put(BETA, (current) => {
      expect(current).toEqual(first);
      return toIntegration(BETA, "b", "c");
    });
    expect(await store.signInIntegrations.find(BETA)).toEqual(second);
    expect(second.value.audiences).toEqual(["b", "c"]);
    expect(second.revision).not.toBe(first.revision);
  });

  scenario("a put for no project is NOT_FOUND", data, async (store) => {
    await expect(
      store.signInIntegrations.put("nowhere", () => toIntegration("nowhere", "a")),
    ).rejects.toMatchObject({ code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" });
    expect(await store.signInIntegrations.find("nowhere")).toBeUndefined();
  });

  scenario("what a change throws undoes it", data, async (store) => {
    const error = new Error("no");
    for (const projectId of [ALPHA, BETA]) {
      const before = await store.signInIntegrations.find(projectId);
      await expect(
        store.signInIntegrations.put(projectId, () => {
          throw error;
        }),
      ).rejects.toBe(error);
      expect(await store.signInIntegrations.find(projectId)).toEqual(before);
    }
  });
}
