import { command } from "../command.ts";
import { DATABASE, nameDatabase, withStore } from "../database.ts";
import { JSON_OUTPUT, printResult } from "../output.ts";
import { ConfigError } from "../setting.ts";
import { toOptionalText } from "../setting-values.ts";

/** Creates the first organization of an empty database with its owner, or gives an imported organization an owner. */
export const INIT = command({
  summary: "create or adopt an organization; prints an access token of its owner",
  settings: {
    database: DATABASE,
    organization: { form: "NAME", help: "name of the first organization of an empty database" },
    "organization-id": {
      form: "ID",
      help: "ID of an imported organization without an owner, to adopt it",
      parse: (text: string) => toOptionalText(text.trim()),
    },
    account: {
      form: "NAME",
      fallback: "Operator",
      help: "name of the first account",
      parse(text: string, flag: string): string {
        if (text.trim() !== "") return text;
        throw new ConfigError(`--${flag} must be a name`);
      },
    },
    json: JSON_OUTPUT,
  },
  examples: [["init --organization Acme --database sqlite:data/acme.db", "create an organization"]],
  interrupted: "an organization is created completely or not at all",
  check(config) {
    if ((config.organization.trim() === "") === (config.organizationId === undefined)) {
      throw new ConfigError("init needs either --organization NAME or --organization-id ID");
    }
    return config;
  },
  async run(config) {
    const { randomUUID } = await import("node:crypto");
    const { adoptOrganization, foundInstallation } = await import(
      "../../auth/found-installation.ts"
    );
    const { database, organization, organizationId, account } = config;
    const now = new Date();
    const created = await withStore(
      database,
      (store) =>
        organizationId === undefined
          ? foundInstallation(store, { organization, account }, randomUUID, now)
          : adoptOrganization(store, { organizationId, account }, randomUUID, now),
      { mustExist: false },
    );
    const { organizationId: id, accountId, token } = created;
    printResult(
      config,
      { organization_id: id, account_id: accountId, token },
      `database      ${nameDatabase(database)}\norganization  ${id}\naccount       ${accountId}\ntoken         ${token}\nThe token is not shown again.\n`,
    );
  },
});
