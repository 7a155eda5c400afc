import type { AccessToken } from "../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import type { Role } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import type { Binding, ResourceRef } from "../../domain/access/permissions.ts";
import type { DocumentType } from "./document-store.ts";

/** An account, identified by its organization and id. */
export interface Account {
  readonly id: string;
  readonly organizationId: string;
}

/** An access token of an account, which may have ended. */
export interface StoredToken {
  readonly id: string;
  readonly account: Account;
  /** True for the token of a session. */
  readonly isSession: boolean;
  readonly expireTime?: Date;
  readonly revokeTime?: Date;
}

/** The project that a public or preview key identifies. */
export interface ProjectKey {
  readonly projectId: string;
  readonly organizationId: string;
  readonly kind: ProjectKeyKind;
  /** A revision of the project while the key was valid. */
  readonly revision?: number;
}

/** The kind of a key: a public key sees published content, a preview key everything. */
export type ProjectKeyKind = "public" | "preview";

/** A binding that makes an account owner of an organization. */
export interface OwnerBinding {
  readonly bindingId: string;
  readonly account: Account;
}

/** Credentials, roles and bindings. */
export interface AccessStore {
  /** Finds a token by its hash; undefined if there is none. */
  findToken(tokenHash: Uint8Array): Promise<StoredToken | undefined>;
  /** Finds the project of a key; undefined if there is none. */
  findProjectKey(keyHash: Uint8Array): Promise<Required<ProjectKey> | undefined>;
  /**
   * Finds the uid of a project: random, created with the project, and never reused, not even by a later project of
   * the same id. Data that may outlive a project is bound to it. Undefined if the project does not exist.
   */
  findProjectUid(projectId: string): Promise<string | undefined>;
  /** Lists the bindings of an account in every organization, in unspecified order. */
  listBindings(account: Account): Promise<Binding[]>;
  /** Lists the bindings of all accounts of an organization with an e-mail, in every organization, in unspecified order. */
  listInvitedBindings(organizationId: string): Promise<Binding[]>;
  /**
   * Lists the bindings with the role `owner` on an organization as a whole, by id. A transaction waits for others that have
   * listed them: an account takes its bindings in other organizations with it, which its scope does not contain.
   */
  listOwners(organizationId: string): Promise<OwnerBinding[]>;
  /** Reports whether any account has the role `operator`. */
  hasOperator(): Promise<boolean>;
  /** Lists the first roles that name a permission that no stored role grants, by organization, then id. */
  listOverreachingRoles(): Promise<Role[]>;
  /** Lists the ids of an organization's projects by id. */
  listProjectIds(organizationId: string): Promise<string[]>;
  /**
   * Locates resources of one type, in unspecified order; an unknown type finds nothing. Organizations and projects
   * are searched for in the installation, all others in the given organization; without one, they are not found.
   */
  locate(type: string, ids: readonly string[], organizationId?: string): Promise<ResourceRef[]>;
  /** Lists the organizations that have a resource, by id, for operators of the installation. */
  listOrganizationsOf(type: DocumentType, id: string): Promise<string[]>;
  /** Lists the tokens of one account, or of all, by time of creation, then id. */
  listAccessTokens(account?: Account): Promise<AccessToken[]>;
  /** Lists the sessions of an account, also those that have ended, by time of creation, then id. */
  listSessions(account: Account): Promise<AccessToken[]>;
}
