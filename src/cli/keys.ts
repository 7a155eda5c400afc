import {
  findKeyEnd,
  rotateViewerTokenKeys,
  VIEWER_TOKEN_LIFETIME,
} from "../auth/viewer-token-key.ts";
import { ConfigError, type KeysConfig, readKeysConfig } from "../config.ts";
import { openStore } from "../storage/open.ts";
import type { ViewerTokenKeyStore } from "../storage/viewer-token-key-store.ts";

/** Runs `marquee keys list|rotate` on the keys that sign and verify viewer tokens. */
export async function keys(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const config = readKeysConfig(args, env);
  const run = commandOf(config);
  const store = await openStore(config.database);
  try {
    process.stdout.write(await run(store.viewerTokenKeys, new Date()));
  } finally {
    await store.close();
  }
}

type Command = (store: ViewerTokenKeyStore, now: Date) => Promise<string>;

function commandOf({ positionals: [verb, argument] }: KeysConfig): Command {
  const run = verb === "list" ? list : verb === "rotate" ? rotate : undefined;
  if (run === undefined) throw new ConfigError("keys takes list or rotate");
  if (argument !== undefined) throw new ConfigError(`unexpected argument '${argument}'`);
  return run;
}

const list: Command = async (store, now) => {
  const { signing, retired } = await store.get();
  const lines = [
    ...(signing === undefined
      ? []
      : [`${signing.id}  signing since ${signing.createTime.toISOString()}`]),
    ...retired
      .map((key) => ({ id: key.id, end: findKeyEnd(key) }))
      .filter(({ end }) => end !== undefined && now < end)
      .map(({ id, end }) => `${id}  retired, verifies tokens until ${end?.toISOString()}`),
  ];
  return lines.length === 0 ? "no keys\n" : `${lines.join("\n")}\n`;
};

const rotate: Command = async (store, now) => {
  const id = await rotateViewerTokenKeys(store, now);
  const hours = VIEWER_TOKEN_LIFETIME / 3_600_000;
  return `${id} signs from now on; tokens of the previous key remain valid for up to ${hours} hours\n`;
};
