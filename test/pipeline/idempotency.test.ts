import { create } from "@bufbuild/protobuf";
import { afterAll, expect, test } from "vitest";
import {
  AccountService,
  CreateAccountRequestSchema,
  CreateAccountResponseSchema,
} from "../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import { openRepeatedCall } from "../../src/api/steps/idempotency.ts";
import type { AuthorizedCall } from "../../src/api/steps/studio-call.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { createSmallDataset } from "../storage/small-dataset.ts";
import { BUDGET, createAccountCaller, createIncoming } from "./calls.ts";

const fresh = await openFresh(createSmallDataset());
afterAll(() => fresh.close());

const method = AccountService.method.createAccount;

/** The message of all calls. */
const MESSAGE = create(CreateAccountRequestSchema, {
  requestId: "once",
  account: { organizationId: "acme", name: "Same" },
});

/** Opens a call of a method with the same message whatever the method. */
function open(requestId: string, of: Partial<typeof method> = {}, organizationId = "acme") {
  const call: AuthorizedCall = {
    incoming: createIncoming({ ...method, ...of }),
    caller: createAccountCaller({ id: "ann", organizationId: "acme" }),
    held: [],
    resource: { kind: "account", id: "bob", organizationId },
    budget: BUDGET,
  };
  return openRepeatedCall(fresh.store, call, MESSAGE, requestId);
}

test("the same message under another method, or one of another service, is another request", async () => {
  const first = await open("once");
  expect(first.response).toBeUndefined();
  const message = create(CreateAccountResponseSchema, { account: { id: "made" } });
  await first.keep(message);

  const again = await open("once");
  expect(again.response).toEqual(message);
  for (const other of [
    { name: "CreateAnother" },
    { parent: { ...method.parent, typeName: "svc.Other" } },
  ]) {
    await expect(open("once", other as Partial<typeof method>)).rejects.toMatchObject({
      reason: "REQUEST_ID_REUSED",
    });
  }
});

test("the same message about an id of another organization is another request", async () => {
  const message = create(CreateAccountResponseSchema, { account: { id: "made" } });
  const first = await open("in-acme");
  await first.keep(message);
  const again = await open("in-acme");
  expect(again.response).toEqual(message);
  await expect(open("in-acme", {}, "globex")).rejects.toMatchObject({
    reason: "REQUEST_ID_REUSED",
  });
});
