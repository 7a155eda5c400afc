import type { Account } from "../../../gen/svc/studio/iam/account/v1/account_pb.ts";
import type { SignInIntegration } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { StaffSignIn } from "../../../gen/svc/studio/iam/staff_sign_in/v1/staff_sign_in_service_pb.ts";
import type { SingleStore } from "./document-store.ts";

/** The sign-in integrations of projects. */
export type SignInIntegrationStore = SingleStore<SignInIntegration>;

/** The public part of a viewer token key. */
export interface ViewerTokenKey {
  /** The `kid` of the tokens it signs. */
  readonly id: string;
  readonly publicKey: Uint8Array;
  readonly createTime: Date;
  /** The time another key replaced it; absent for the signing key. */
  readonly retireTime?: Date;
}

/** A key pair that can sign. */
export interface NewViewerTokenKey {
  readonly id: string;
  readonly publicKey: Uint8Array;
  readonly privateKey: Uint8Array;
  readonly createTime: Date;
}

/** All keys of an installation, from one snapshot. */
export interface ViewerTokenKeys {
  /** The signing key; absent until the first is created. */
  readonly signing?: NewViewerTokenKey;
  /** Earlier signing keys, most recently retired first. Their private keys are deleted. */
  readonly retired: readonly ViewerTokenKey[];
}

/** A replacement of the signing key. */
export interface Rotation {
  readonly key: NewViewerTokenKey;
  /** The time of the rotation. */
  readonly now: Date;
  /** Keys retired before this time are deleted; after `now`, also the one that signed. */
  readonly dropBefore: Date;
}

/** The keys of viewer tokens. One of them signs in all processes of the installation. */
export interface ViewerTokenKeyStore {
  /** Returns all keys. */
  get(): Promise<ViewerTokenKeys>;
  /** Stores the first signing key unless there is one already; of concurrent callers, the first wins. */
  begin(create: () => NewViewerTokenKey): Promise<void>;
  /** Replaces the signing key, which is retired and loses its private key. */
  rotate(rotation: Rotation): Promise<void>;
}

/** The sign-in of an organization and the secret of its application. */
export interface StaffSignInSettings {
  /** Without the secret. */
  readonly signIn: StaffSignIn;
  /** Empty: none. */
  readonly secret: string;
}

/** How the people of organizations sign in, and the accounts of these people. */
export interface StaffSignInStore extends SingleStore<StaffSignInSettings> {
  /** Finds the account of the person who signed in to it last, by `toIdentity`, or the account with an e-mail, by `foldEmail`. */
  findAccount(
    organizationId: string,
    by: { readonly identity: string } | { readonly email: string },
  ): Promise<Account | undefined>;
}
