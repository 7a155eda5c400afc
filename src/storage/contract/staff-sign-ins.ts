import type { Account } from "../../../gen/svc/studio/iam/account/v1/account_pb.ts";
import type { StaffSignIn } from "../../../gen/svc/studio/iam/staff_sign_in/v1/staff_sign_in_service_pb.ts";
import type { Stored } from "./stored.ts";

/** The sign-in of an organization and the secret of its application. */
export interface StaffSignInSettings {
  /** Without the secret. */
  readonly signIn: StaffSignIn;
  /** Empty: none. */
  readonly secret: string;
}

/** How the people of organizations sign in, and the accounts of these people. */
export interface StaffSignInStore {
  /** Finds the sign-in of an organization; undefined if it has set none. */
  find(organizationId: string): Promise<Stored<StaffSignInSettings> | undefined>;
  /** Creates or replaces a sign-in with the result of `change`. */
  put(
    organizationId: string,
    change: (current: Stored<StaffSignInSettings> | undefined) => StaffSignInSettings,
  ): Promise<Stored<StaffSignInSettings>>;
  /** Finds the account of the person who signed in to it last, by `toIdentity`, or the account with an e-mail, by `foldEmail`. */
  findAccount(
    organizationId: string,
    by: { readonly identity: string } | { readonly email: string },
  ): Promise<Account | undefined>;
  /** Finds the id of the access token with a hash. */
  findSession(tokenHash: Uint8Array): Promise<string | undefined>;
}
