import { randomUUID } from "node:crypto";
import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AccessToken } from "../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { issueAccessToken } from "../auth/issue.ts";
import { revokeAccessToken } from "../domain/access/access-token.ts";
import type { TOKEN_CREATE, TOKEN_LIST, TOKEN_REVOKE } from "./command-settings.ts";
import type { ConfigOf } from "./setting.ts";
import { openOrganizationOf, printResult, withStore } from "./store-command.ts";

const DAY = 24 * 3_600_000;

/** Runs `marquee token create`: prints a new token, which is not stored. */
export function createToken(config: ConfigOf<typeof TOKEN_CREATE>): Promise<void> {
  const { account, organizationId, name, days } = config;
  const now = new Date();
  return withStore(config.database, async (store) => {
    const { documents } = await openOrganizationOf(store, "account", account, organizationId);
    const id = randomUUID();
    const expireTime =
      days === undefined ? undefined : timestampFromDate(new Date(now.getTime() + days * DAY));
    const token = { id, accountId: account, name, ...(expireTime && { expireTime }) };
    const { secret } = await issueAccessToken(documents, token, now);
    printResult(
      config,
      { id, token: secret },
      `id     ${id}\ntoken  ${secret}\nThe token is not shown again.\n`,
    );
  });
}

/** Runs `marquee token list`: lists the tokens of an account, or all. */
export function listTokens(config: ConfigOf<typeof TOKEN_LIST>): Promise<void> {
  const { account: id, organizationId } = config;
  const now = new Date();
  return withStore(config.database, async (store) => {
    const account =
      id === "" ? undefined : await openOrganizationOf(store, "account", id, organizationId);
    const tokens = await store.access.listAccessTokens(
      account && { id, organizationId: account.organizationId },
    );
    const lines = tokens.map((it) =>
      [it.id, it.accountId, stateOf(it, now), print(it.createTime), it.name].join("  "),
    );
    printResult(
      config,
      { access_tokens: tokens.map(toJson) },
      lines.length === 0 ? "no tokens\n" : `${lines.join("\n")}\n`,
    );
  });
}

/** Runs `marquee token revoke`: ends a token at once. */
export function revokeToken(
  config: ConfigOf<typeof TOKEN_REVOKE> & { readonly id: string },
): Promise<void> {
  const { id, organizationId } = config;
  const now = new Date();
  return withStore(config.database, async (store) => {
    const { documents } = await openOrganizationOf(store, "access_token", id, organizationId);
    await documents.access_token.update(id, ({ value }) => revokeAccessToken(value, now));
    printResult(config, { id }, `revoked ${id}\n`);
  });
}

function toJson({ id, accountId, name, createTime, expireTime, revokeTime }: AccessToken): object {
  return {
    id,
    account_id: accountId,
    name,
    create_time: print(createTime),
    ...(expireTime && { expire_time: print(expireTime) }),
    ...(revokeTime && { revoke_time: print(revokeTime) }),
  };
}

function stateOf({ expireTime, revokeTime }: AccessToken, now: Date): string {
  if (revokeTime !== undefined) return `revoked ${print(revokeTime)}`;
  if (expireTime === undefined) return "valid";
  return `${timestampDate(expireTime) > now ? "valid until" : "expired"} ${print(expireTime)}`;
}

function print(time: Timestamp | undefined): string {
  return time === undefined ? "" : timestampDate(time).toISOString();
}
