import { clone } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type AccessToken,
  AccessTokenSchema,
} from "../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { checkField } from "../base/field-errors.ts";

/** Returns the access token with its revocation time set; an earlier revocation is kept. */
export function revokeAccessToken(token: AccessToken, now: Date): AccessToken {
  if (token.revokeTime !== undefined) return token;
  const revoked = clone(AccessTokenSchema, token);
  revoked.revokeTime = timestampFromDate(now);
  return revoked;
}

/** Checks that a new access token expires in the future. INVALID_ARGUMENT `EXPIRE_TIME_INVALID`. */
export function checkExpireTime({ expireTime }: AccessToken, now: Date): void {
  const isFuture = expireTime === undefined || timestampDate(expireTime) > now;
  checkField(isFuture, "access_token.expire_time", "EXPIRE_TIME_INVALID", "must be in the future");
}
