import { create } from "@bufbuild/protobuf";
import type { UnaryRequest, UnaryResponse } from "@connectrpc/connect";
import { afterAll, expect, test } from "vitest";
import {
  AccountService,
  CreateAccountRequestSchema,
  CreateAccountResponseSchema,
} from "../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import { openCall, setPart } from "../../src/api/steps/call.ts";
import { openRepeatedCall } from "../../src/api/steps/idempotency.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { createSmallDataset } from "../storage/small-dataset.ts";

const fresh = await openFresh();
await fresh.store.load(createSmallDataset());
afterAll(() => fresh.close());

const method = AccountService.method.createAccount;
const NOW = new Date("2026-06-01T12:00:00Z");

/** A call of a method whose message is the same whatever the method. */
function createCall(of: Partial<typeof method> = {}, organizationId = "acme"): UnaryRequest {
  const contextValues = openCall({ requestId: "r", now: NOW, address: "", trustsHeaders: false });
  const account = { id: "ann", organizationId: "acme" };
  setPart(contextValues, "caller", { kind: "account", account, answerKey: new Uint8Array(32) });
  setPart(contextValues, "resource", { type: "account", id: "bob", organizationId });
  const message = create(CreateAccountRequestSchema, {
    requestId: "once",
    account: { organizationId: "acme", name: "Same" },
  });
  return { method: { ...method, ...of }, message, contextValues } as unknown as UnaryRequest;
}

test("the same message under another method, or one of another service, is another request", async () => {
  const first = await openRepeatedCall(fresh.store, createCall(), "once");
  expect(first.answer).toBeUndefined();
  const message = create(CreateAccountResponseSchema, { account: { id: "made" } });
  await first.keep({ message, header: new Headers() } as unknown as UnaryResponse);

  const again = await openRepeatedCall(fresh.store, createCall(), "once");
  expect(again.answer?.message).toEqual(message);
  for (const other of [
    { name: "CreateAnother" },
    { parent: { ...method.parent, typeName: "svc.Other" } },
  ]) {
    const call = createCall(other as Partial<typeof method>);
    await expect(openRepeatedCall(fresh.store, call, "once")).rejects.toMatchObject({
      reason: "REQUEST_ID_REUSED",
    });
  }
});

test("the same message about an id of another organization is another request", async () => {
  const message = create(CreateAccountResponseSchema, { account: { id: "made" } });
  const first = await openRepeatedCall(fresh.store, createCall(), "in-acme");
  await first.keep({ message, header: new Headers() } as unknown as UnaryResponse);
  const again = await openRepeatedCall(fresh.store, createCall(), "in-acme");
  expect(again.answer?.message).toEqual(message);
  await expect(
    openRepeatedCall(fresh.store, createCall({}, "globex"), "in-acme"),
  ).rejects.toMatchObject({ reason: "REQUEST_ID_REUSED" });
});
