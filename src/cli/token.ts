import { randomUUID } from "node:crypto";
import { type Timestamp, timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AccessToken } from "../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { issueAccessToken } from "../auth/issue.ts";
import { ConfigError, readTokenConfig, type TokenConfig } from "../config.ts";
import { revokeAccessToken } from "../domain/access/access-token.ts";
import { openStore } from "../storage/open.ts";
import type { Store } from "../storage/store.ts";
import { openOrganizationOf } from "./find-organization.ts";

const DAY = 24 * 3_600_000;

/** Runs `marquee token create|list|revoke`; prints a new token, which is not stored. */
export async function token(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const config = readTokenConfig(args, env);
  const run = commandOf(config);
  const store = await openStore(config.database);
  try {
    process.stdout.write(await run(store, config, new Date()));
  } finally {
    await store.close();
  }
}

type Command = (store: Store, config: TokenConfig, now: Date) => Promise<string>;

function commandOf({ positionals, account, organizationId }: TokenConfig): Command {
  const [verb, ...rest] = positionals;
  switch (verb) {
    case "create":
      if (account === "") throw new ConfigError("token create needs --account ID");
      return rest.length === 0 ? create : unexpected(rest);
    case "list":
      if (account === "" && organizationId !== "") {
        throw new ConfigError("token list takes --organization-id only with --account ID");
      }
      return rest.length === 0 ? list : unexpected(rest);
    case "revoke":
      if (rest[0] === undefined) throw new ConfigError("token revoke needs the token's id");
      return rest.length === 1 ? revoke : unexpected(rest.slice(1));
    default:
      throw new ConfigError("token takes create, list or revoke");
  }
}

function unexpected([argument]: readonly string[]): never {
  throw new ConfigError(`unexpected argument '${argument}'`);
}

const create: Command = async (store, { account, organizationId, name, days }, now) => {
  const { documents } = await openOrganizationOf(store, "account", account, organizationId);
  const id = randomUUID();
  const expireTime = days === undefined ? undefined : new Date(now.getTime() + days * DAY);
  const { secret } = await issueAccessToken(
    documents,
    {
      id,
      accountId: account,
      name,
      ...(expireTime && { expireTime: timestampFromDate(expireTime) }),
    },
    now,
  );
  return `id     ${id}\ntoken  ${secret}\nThe token is not shown again.\n`;
};

const list: Command = async (store, { account: id, organizationId }, now) => {
  const account =
    id === "" ? undefined : await openOrganizationOf(store, "account", id, organizationId);
  const tokens = await store.access.listAccessTokens(
    account && { id, organizationId: account.organizationId },
  );
  const lines = tokens.map((it) =>
    [it.id, it.accountId, stateOf(it, now), print(it.createTime), it.name].join("  "),
  );
  return lines.length === 0 ? "no tokens\n" : `${lines.join("\n")}\n`;
};

const revoke: Command = async (store, { positionals, organizationId }, now) => {
  const [, id = ""] = positionals;
  const { documents } = await openOrganizationOf(store, "access_token", id, organizationId);
  await documents.access_token.update(id, ({ value }) => revokeAccessToken(value, now));
  return `revoked ${id}\n`;
};

function stateOf({ expireTime, revokeTime }: AccessToken, now: Date): string {
  if (revokeTime !== undefined) return `revoked ${print(revokeTime)}`;
  if (expireTime === undefined) return "valid";
  return `${timestampDate(expireTime) > now ? "valid until" : "expired"} ${print(expireTime)}`;
}

function print(time: Timestamp | undefined): string {
  return time === undefined ? "" : timestampDate(time).toISOString();
}
