import { randomUUID } from "node:crypto";
import { adoptOrganization, foundInstallation } from "../auth/found-installation.ts";
import type { INIT } from "./command-settings.ts";
import type { ConfigOf } from "./setting.ts";
import { printResult, withStore } from "./store-command.ts";

/**
 * Runs `marquee init`: creates the first organization of an empty database with an owner who is also the
 * operator, or gives an imported organization an owner.
 */
export async function init(config: ConfigOf<typeof INIT>): Promise<void> {
  const { database, organization, organizationId, account } = config;
  const now = new Date();
  const {
    organizationId: id,
    accountId,
    token,
  } = await withStore(
    database,
    (store) =>
      organizationId === undefined
        ? foundInstallation(store, { organization, account }, randomUUID, now)
        : adoptOrganization(store, { organizationId, account }, randomUUID, now),
    { mustExist: false },
  );
  printResult(
    config,
    { organization_id: id, account_id: accountId, token },
    `organization  ${id}\naccount       ${accountId}\ntoken         ${token}\nThe token is not shown again.\n`,
  );
}
