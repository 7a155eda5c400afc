import { type CommandGroup, command } from "../command.ts";
import { DATABASE, withStore } from "../database.ts";
import { JSON_OUTPUT, printResult } from "../output.ts";

const list = command({
  summary: "list the keys of viewer tokens",
  settings: { database: DATABASE, json: JSON_OUTPUT },
  examples: [["keys list", "list the signing key and retired keys"]],
  interrupted: "nothing changed",
  async run(config) {
    const { findKeyEnd } = await import("../../auth/viewer-token-key.ts");
    await withStore(config.database, async ({ viewerTokenKeys }) => {
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
  },
});

const rotate = command({
  summary: "sign viewer tokens with a new key",
  settings: {
    database: DATABASE,
    leaked: {
      help: "reject tokens of the previous keys at once, and replace all other keys of the installation",
    },
    json: JSON_OUTPUT,
  },
  examples: [
    ["keys rotate", "retire the signing key"],
    ["keys rotate --leaked", "replace every key, because a backup has leaked"],
  ],
  interrupted: "see keys list",
  async run(config) {
    const { rotateViewerTokenKeys, VIEWER_TOKEN_LIFETIME } = await import(
      "../../auth/viewer-token-key.ts"
    );
    await withStore(config.database, async ({ secrets, viewerTokenKeys }) => {
      const haveLeaked = config.leaked;
      const id = await rotateViewerTokenKeys(viewerTokenKeys, new Date(), { haveLeaked });
      if (haveLeaked) await secrets.clear();
      const hours = VIEWER_TOKEN_LIFETIME / 3_600_000;
      const effect = haveLeaked
        ? "no token of a previous key is valid; restart every process of Marquee, which replaces all other keys"
        : `tokens of the previous key remain valid for up to ${hours} hours`;
      printResult(config, { signing: { id } }, `${id} signs from now on; ${effect}\n`);
    });
  },
});

/** Lists and rotates the keys that sign and verify viewer tokens. */
export const KEYS: CommandGroup = {
  summary: "list and rotate the keys of viewer tokens",
  commands: { list, rotate },
};
