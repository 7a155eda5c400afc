import { randomUUID } from "node:crypto";
import { foundInstallation } from "../auth/found-installation.ts";
import { readInitConfig } from "../config.ts";
import { openStore } from "../storage/open.ts";

/** Runs `marquee init`: an empty database gets the first organization and who may do the rest. */
export async function init(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { database, organization, account } = readInitConfig(args, env);
  const store = openStore(database);
  try {
    const names = { organization, account };
    const first = await foundInstallation(store, names, randomUUID, new Date());
    process.stdout.write(
      `organization  ${first.organizationId}\naccount       ${first.accountId}\ntoken         ${first.token}\nThe token is not shown again.\n`,
    );
  } finally {
    await store.close();
  }
}
