import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { type CommandGroup, command } from "../command.ts";
import { DATABASE, openOrganizationOf, withStore } from "../database.ts";
import { JSON_OUTPUT, printResult } from "../output.ts";
import { ConfigError, quote, type SettingTable } from "../setting.ts";

const DAY = 24 * 3_600_000;

const ORGANIZATION = {
  database: DATABASE,
  "organization-id": {
    form: "ID",
    help: "organization of the account or token, if several contain the id",
  },
} as const satisfies SettingTable;

const create = command({
  summary: "create an access token and print it once",
  settings: {
    ...ORGANIZATION,
    account: { form: "ID", isRequired: true, help: "account of the token" },
    name: { form: "TEXT", help: "purpose of the token" },
    days: {
      form: "N",
      help: "lifetime of the token in days; default: unlimited",
      parse(text: string, flag: string): number | undefined {
        if (text === "") return undefined;
        if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
        throw new ConfigError(`--${flag} must be a number of days from 1 to 99999${quote(text)}`);
      },
    },
    json: JSON_OUTPUT,
  },
  examples: [
    ["token create --account account-owner --name ci --days 90", "create a token for a pipeline"],
  ],
  interrupted: "see token list",
  async run(config) {
    const { randomUUID } = await import("node:crypto");
    const { timestampFromDate } = await import("@bufbuild/protobuf/wkt");
    const { issueAccessToken } = await import("../../auth/issue.ts");
    const { account, organizationId, name, days } = config;
    const now = new Date();
    await withStore(config.database, async (store) => {
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
  },
});

const list = command({
  summary: "list access tokens",
  settings: {
    ...ORGANIZATION,
    account: { form: "ID", help: "account of the tokens; default: all accounts" },
    json: JSON_OUTPUT,
  },
  examples: [["token list --account account-owner --json", "list the tokens of an account"]],
  interrupted: "nothing changed",
  check(config) {
    if (config.account === "" && config.organizationId !== "") {
      throw new ConfigError("token list takes --organization-id only with --account ID");
    }
    return config;
  },
  async run(config) {
    const { timestampDate } = await import("@bufbuild/protobuf/wkt");
    const print = (time: Timestamp) => timestampDate(time).toISOString();
    const { account: id, organizationId } = config;
    const now = new Date();
    await withStore(config.database, async (store) => {
      const account =
        id === "" ? undefined : await openOrganizationOf(store, "account", id, organizationId);
      const stored = await store.access.listAccessTokens(
        account && { id, organizationId: account.organizationId },
      );
      const tokens = stored.map(({ createTime, expireTime, revokeTime, ...it }) => ({
        id: it.id,
        account_id: it.accountId,
        name: it.name,
        create_time: createTime ? print(createTime) : "",
        ...(expireTime && { expire_time: print(expireTime) }),
        ...(revokeTime && { revoke_time: print(revokeTime) }),
      }));
      const lines = tokens.map((it) =>
        [it.id, it.account_id, describeState(it, now), it.create_time, it.name].join("  "),
      );
      printResult(
        config,
        { access_tokens: tokens },
        lines.length === 0 ? "no tokens\n" : `${lines.join("\n")}\n`,
      );
    });
  },
});

function describeState(
  token: { readonly expire_time?: string; readonly revoke_time?: string },
  now: Date,
): string {
  const { expire_time: end, revoke_time: revoked } = token;
  if (revoked !== undefined) return `revoked ${revoked}`;
  if (end === undefined) return "valid";
  return `${new Date(end) > now ? "valid until" : "expired"} ${end}`;
}

const revoke = command({
  summary: "revoke an access token",
  settings: { ...ORGANIZATION, json: JSON_OUTPUT },
  argument: ["<id>", "id of the token"],
  examples: [["token revoke 6f1c9a1e-50b3-4c4e-9f3a-0f6c5f1d2b7a", "revoke a token"]],
  interrupted: "see token list",
  async run(config, id) {
    const { revokeAccessToken } = await import("../../domain/access/access-token.ts");
    const now = new Date();
    await withStore(config.database, async (store) => {
      const { organizationId } = config;
      const { documents } = await openOrganizationOf(store, "access_token", id, organizationId);
      await documents.access_token.update(id, ({ value }) => revokeAccessToken(value, now));
      printResult(config, { id }, `revoked ${id}\n`);
    });
  },
});

/** Creates, lists and revokes access tokens. */
export const TOKEN: CommandGroup = {
  summary: "create, list and revoke access tokens",
  commands: { create, list, revoke },
};
