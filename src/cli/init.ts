import { randomUUID } from "node:crypto";
import { adoptOrganization, foundInstallation } from "../auth/found-installation.ts";
import { readInitConfig } from "../config.ts";
import { openStore } from "../storage/open.ts";

/**
 * Runs `marquee init`: an empty database gets the first organization and who may do the rest; an
 * organization that a file made gets its owner.
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
