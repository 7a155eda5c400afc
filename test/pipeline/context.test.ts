import { createContextValues } from "@connectrpc/connect";
import { expect, test } from "vitest";
import {
  findPart,
  getAccount,
  getPart,
  getProjectKey,
  getStore,
  openCall,
  setPart,
} from "../../src/api/steps/call.ts";

const open = () =>
  openCall({ requestId: "r", now: new Date(0), address: "", trustsHeaders: false });

test("a part that no step has set is an error that names it, wherever it is read", () => {
  for (const values of [open(), createContextValues()]) {
    expect(() => getStore(values)).toThrow("'store' is read before a step has set it");
    expect(() => getAccount(values)).toThrow("'caller'");
    expect(() => getProjectKey(values)).toThrow("'caller'");
    expect(findPart(values, "store")).toBeUndefined();
  }
  expect(() => setPart(createContextValues(), "isEntered", true)).toThrow("'isEntered'");
});

test("no call sees the parts of another", () => {
  const [first, second] = [open(), open()];
  setPart(first, "projectIds", ["a"]);
  getPart(first, "freshness").resources.add("a");
  expect(findPart(second, "projectIds")).toBeUndefined();
  expect(getPart(second, "freshness").resources.size).toBe(0);
});

test("an account is no project, and the reverse", () => {
  const values = open();
  const key = { projectId: "p", organizationId: "o", kind: "public" } as const;
  setPart(values, "caller", { kind: "project", key });
  expect(getProjectKey(values)).toBe(key);
  expect(() => getAccount(values)).toThrow("the caller is no account");
  const account = { id: "a", organizationId: "o" };
  setPart(values, "caller", { kind: "account", account, answerKey: new Uint8Array() });
  expect(getAccount(values)).toBe(account);
  expect(() => getProjectKey(values)).toThrow("the caller is no project");
});
