import { randomUUID } from "node:crypto";
import { adoptOrganization, foundInstallation } from "../auth/found-installation.ts";
import { readInitConfig } from "../config.ts";
import { openStore } from "../storage/open.ts";

/**
 * Runs `marquee init`: creates the first organization of an empty database with an owner who is also the
 * operator, or gives an imported organization an owner.
 */
export async function init(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { database, organization, organizationId, account } = readInitConfig(args, env);
  const store = await openStore(database);
  try {
    const now = new Date();
    const first = await (organizationId === undefined
      ? foundInstallation(store, { organization, account }, randomUUID, now)
      : adoptOrganization(store, { organizationId, account }, randomUUID, now));
    process.stdout.write(
      `organization  ${first.organizationId}\naccount       ${first.accountId}\ntoken         ${first.token}\nThe token is not shown again.\n`,
    );
  } finally {
    await store.close();
  }
}
