import {
  findKeyEnd,
  rotateViewerTokenKeys,
  VIEWER_TOKEN_LIFETIME,
} from "../auth/viewer-token-key.ts";
import type { KEYS } from "./command-settings.ts";
import type { ConfigOf } from "./setting.ts";
import { printResult, withStore } from "./store-command.ts";

/** Runs `marquee keys list`: lists the keys that sign and verify viewer tokens. */
export function listKeys(config: ConfigOf<typeof KEYS>): Promise<void> {
  return withStore(config.database, async ({ viewerTokenKeys }) => {
    const now = new Date();
    const { signing, retired } = await viewerTokenKeys.get();
    const verifying = retired.flatMap((key) => {
      const end = findKeyEnd(key);
      return end === undefined || end <= now ? [] : [{ id: key.id, end: end.toISOString() }];
    });
    const since = signing?.createTime.toISOString();
    const lines = [
      ...(signing === undefined ? [] : [`${signing.id}  signing since ${since}`]),
      ...verifying.map(({ id, end }) => `${id}  retired, verifies tokens until ${end}`),
    ];
    printResult(
      config,
      {
        ...(signing && { signing: { id: signing.id, create_time: since } }),
        retired: verifying.map(({ id, end }) => ({ id, expire_time: end })),
      },
      lines.length === 0 ? "no keys\n" : `${lines.join("\n")}\n`,
    );
  });
}

/** Runs `marquee keys rotate`: signs viewer tokens with a new key. */
export function rotateKeys(config: ConfigOf<typeof KEYS>): Promise<void> {
  return withStore(config.database, async ({ viewerTokenKeys }) => {
    const id = await rotateViewerTokenKeys(viewerTokenKeys, new Date());
    const hours = VIEWER_TOKEN_LIFETIME / 3_600_000;
    printResult(
      config,
      { signing: { id } },
      `${id} signs from now on; tokens of the previous key remain valid for up to ${hours} hours\n`,
    );
  });
}
