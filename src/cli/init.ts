import { randomUUID } from "node:crypto";
import { adoptOrganization, foundInstallation } from "../auth/found-installation.ts";
import { openStore } from "../storage/open.ts";
import type { InitConfig } from "./command-settings.ts";
import { printResult } from "./result.ts";

/**
 * Runs `marquee init`: creates the first organization of an empty database with an owner who is also the
 * operator, or gives an imported organization an owner.
 */
export async function init(config: InitConfig): Promise<void> {
  const { database, organization, organizationId, account } = config;
  const store = await openStore(database);
  try {
    const now = new Date();
    const first = await (organizationId === undefined
      ? foundInstallation(store, { organization, account }, randomUUID, now)
      : adoptOrganization(store, { organizationId, account }, randomUUID, now));
    const { organizationId: id, accountId, token } = first;
    printResult(
      config,
      { organization_id: id, account_id: accountId, token },
      `organization  ${id}\naccount       ${accountId}\ntoken         ${token}\nThe token is not shown again.\n`,
    );
  } finally {
    await store.close();
  }
}
