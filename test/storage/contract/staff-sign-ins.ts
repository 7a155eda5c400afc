import { clone, create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import {
  AccessTokenKind,
  AccessTokenSchema,
} from "../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { AccountSchema, SignInSchema } from "../../../gen/svc/studio/iam/account/v1/account_pb.ts";
import { BindingSchema } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { StaffSignInSchema } from "../../../gen/svc/studio/iam/staff_sign_in/v1/staff_sign_in_service_pb.ts";
import { toIdentity } from "../../../src/domain/access/staff-sign-in.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import { createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const ORGANIZATION = "acme";

/** Holds the store of the sign-in of staff. */
export function staffSignInContract(scenario: Scenario): void {
  const data = createSmallDataset();
  const toSettings = (issuer: string, secret: string) => ({
    signIn: create(StaffSignInSchema, { organizationId: ORGANIZATION, issuer }),
    secret,
  });
  const toAccount = (id: string, email: string) =>
    create(AccountSchema, { id, organizationId: ORGANIZATION, name: id, email });

  scenario(
    "the first put makes a sign-in of staff, the second replaces it",
    data,
    async (store) => {
      expect(await store.staffSignIns.find(ORGANIZATION)).toBeUndefined();
      const first = await store.staffSignIns.put(ORGANIZATION, (current) => {
        expect(current).toBeUndefined();
        return toSettings("https://a.example", "");
      });
      expect(await store.staffSignIns.find(ORGANIZATION)).toEqual(first);
      const second = await store.staffSignIns.put(ORGANIZATION, (current) => {
        expect(current).toEqual(first);
        return toSettings("https://b.example", "secret");
      });
      expect(await store.staffSignIns.find(ORGANIZATION)).toEqual(second);
      expect(second.revision).not.toBe(first.revision);
      const put = store.staffSignIns.put("nobody", () => toSettings("", ""));
      await expect(put).rejects.toMatchObject({ code: Code.NOT_FOUND });
    },
  );

  scenario("an account is found by its e-mail and by its holder", data, async (store) => {
    const { account } = store.in(ORGANIZATION).documents;
    await account.create(toAccount("mail-1", "Ana@Example.com"));
    await account.create(toAccount("mail-2", ""));
    const find = async (by: { email: string } | { identity: string }) =>
      (await store.staffSignIns.findAccount(ORGANIZATION, by))?.id;
    const holder = { issuer: "https://a.example", subject: "ana" };
    expect(await find({ email: "ana@example.com" })).toBe("mail-1");
    expect(await find({ email: "" })).toBeUndefined();
    expect(await find({ identity: toIdentity(holder) })).toBeUndefined();
    await account.update("mail-1", ({ value }) => {
      const changed = clone(AccountSchema, value);
      changed.lastSignIn = create(SignInSchema, holder);
      return changed;
    });
    expect(await find({ identity: toIdentity(holder) })).toBe("mail-1");
    expect(await find({ identity: "" })).toBeUndefined();
    const taken = account.create(toAccount("mail-3", "ANA@example.com"));
    await expect(taken).rejects.toMatchObject({ reason: "EMAIL_TAKEN" });
    await account.update("mail-1", ({ value }) => ({ ...value, email: "" }));
    await account.create(toAccount("mail-3", "ANA@example.com"));
  });

  scenario("a session is found by the hash of its token", data, async (store) => {
    const { account, access_token: tokens } = store.in(ORGANIZATION).documents;
    await account.create(toAccount("mail-1", ""));
    const find = (byte: number) => store.access.findToken(new Uint8Array(32).fill(byte));
    for (const [byte, kind] of [AccessTokenKind.SESSION, AccessTokenKind.TOKEN].entries()) {
      const token = { id: `token-${byte}`, accountId: "mail-1", kind };
      await tokens.create(create(AccessTokenSchema, token), {
        hash: new Uint8Array(32).fill(byte),
      });
    }
    expect(await find(0)).toMatchObject({ id: "token-0", isSession: true });
    expect(await find(1)).toMatchObject({ id: "token-1", isSession: false });
    expect(await find(2)).toBeUndefined();
  });

  scenario(
    "the bindings of invited accounts are those of accounts with an e-mail",
    data,
    async (store) => {
      const { account, binding } = store.in(ORGANIZATION).documents;
      const list = async () => (await store.access.listInvitedBindings(ORGANIZATION)).length;
      const before = await list();
      for (const [id, email] of [
        ["mail-1", "ana@example.com"],
        ["mail-2", ""],
      ] as const) {
        await account.create(toAccount(id, email));
        await binding.create(
          create(BindingSchema, {
            ...{ id, organizationId: ORGANIZATION, accountId: id, roleId: "viewer" },
            resourceKey: `${ORGANIZATION}/organization`,
          }),
        );
      }
      expect(await list()).toBe(before + 1);
    },
  );
}
