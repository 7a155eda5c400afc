// A process of its own for the tests: `<file> <name> <now>` prints a line when it is open; each line
// that it then reads is a limit, with which 50 sessions of one viewer claim a stream at once. It
// prints the keys of those that hold one.
import { createInterface } from "node:readline";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";

const [file = "", name = "", now = "0"] = process.argv.slice(2);
const { leases, close } = openSqliteStore(file);
const keys = Array.from({ length: 50 }, (_, index) => `${name}-${index}`);
process.stdout.write("open\n");
for await (const limit of createInterface({ input: process.stdin })) {
  const results = await Promise.all(
    keys.map((sessionKey) =>
      leases.claim({
        projectId: "alpha",
        userId: "user-1",
        sessionKey,
        videoId: "video-1",
        limit: Number(limit),
        now: new Date(Number(now)),
        expireTime: new Date(Number(now) + 60_000),
      }),
    ),
  );
  const held = keys.filter((_, index) => results[index]?.kind === "held");
  process.stdout.write(`${held.join(" ")}\n`);
}
await close();
