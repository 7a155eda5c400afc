import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type AccessToken,
  AccessTokenKind,
  AccessTokenSchema,
} from "../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import {
  type ProjectKey,
  ProjectKeyKind,
  ProjectKeySchema,
} from "../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import type { Documents, Stored } from "../storage/contract/document-store.ts";
import { createToken, hashToken } from "./token.ts";

/** A new credential and its one-time secret, which is not stored. */
export interface Issued<T> {
  readonly stored: Stored<T>;
  readonly secret: string;
}

/** Creates an access token of an account. NOT_FOUND if the account does not exist. */
export async function issueAccessToken(
  documents: Pick<Documents, "access_token">,
  token: Pick<AccessToken, "accountId" | "expireTime" | "id" | "name">,
  now: Date,
): Promise<Issued<AccessToken>> {
  const secret = createToken("access");
  const value = create(AccessTokenSchema, {
    ...token,
    createTime: timestampFromDate(now),
    kind: AccessTokenKind.TOKEN,
  });
  return {
    stored: await documents.access_token.create(value, { hash: hashToken(secret) }),
    secret,
  };
}

/** Creates a key of a project. NOT_FOUND if the project does not exist. */
export async function issueProjectKey(
  documents: Pick<Documents, "project_key">,
  key: Pick<ProjectKey, "id" | "kind" | "name" | "projectId">,
  now: Date,
): Promise<Issued<ProjectKey>> {
  const secret = createToken(key.kind === ProjectKeyKind.PREVIEW ? "preview" : "public");
  const time = timestampFromDate(now);
  const value = create(ProjectKeySchema, { ...key, createTime: time, updateTime: time });
  return { stored: await documents.project_key.create(value, { hash: hashToken(secret) }), secret };
}
