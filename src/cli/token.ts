import { randomUUID } from "node:crypto";
import { createToken, hashToken } from "../auth/token.ts";
import { ConfigError, readTokenConfig, type TokenConfig } from "../config.ts";
import { openStore } from "../storage/open.ts";
import type { AccessStore, AccessTokenInfo } from "../storage/store.ts";

const DAY = 24 * 3_600_000;

/** Runs `marquee token create|list|revoke`; a new token is shown this once. */
export async function token(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const config = readTokenConfig(args, env);
  const run = commandOf(config);
  const store = openStore(config.database);
  try {
    process.stdout.write(await run(store.access, config, new Date()));
  } finally {
    await store.close();
  }
}

type Command = (access: AccessStore, config: TokenConfig, now: Date) => Promise<string>;

function commandOf({ positionals, account }: TokenConfig): Command {
  const [verb, ...rest] = positionals;
  switch (verb) {
    case "create":
      if (account === "") throw new ConfigError("token create needs --account ID");
      return rest.length === 0 ? create : unexpected(rest);
    case "list":
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

const create: Command = async (access, { account, name, days }, now) => {
  const id = randomUUID();
  const secret = createToken("access");
  await access.createAccessToken({
    id,
    accountId: account,
    name,
    hash: hashToken(secret),
    createTime: now,
    ...(days !== undefined && { expireTime: new Date(now.getTime() + days * DAY) }),
  });
  return `id     ${id}\ntoken  ${secret}\nThe token is not shown again.\n`;
};

const list: Command = async (access, { account }, now) => {
  const tokens = await access.listAccessTokens(account === "" ? undefined : account);
  const lines = tokens.map((it) =>
    [it.id, it.accountId, stateOf(it, now), it.createTime.toISOString(), it.name].join("  "),
  );
  return lines.length === 0 ? "no tokens\n" : `${lines.join("\n")}\n`;
};

const revoke: Command = async (access, { positionals }, now) => {
  const [, id = ""] = positionals;
  await access.revokeAccessToken(id, now);
  return `revoked ${id}\n`;
};

function stateOf({ expireTime, revokeTime }: AccessTokenInfo, now: Date): string {
  if (revokeTime !== undefined) return `revoked ${revokeTime.toISOString()}`;
  if (expireTime === undefined) return "valid";
  return `${expireTime > now ? "valid until" : "expired"} ${expireTime.toISOString()}`;
}
