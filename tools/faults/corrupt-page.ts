import { closeSync, copyFileSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { getUrl, PROCEDURES } from "../../test/harness/calls.ts";
import { createFolder } from "../../test/harness/folder.ts";
import { send } from "../../test/harness/http.ts";
import { createDemoDatabase } from "./database.ts";
import type { Fault } from "./fault.ts";
import { type Service, startService } from "./service.ts";
import { until } from "./until.ts";
import { RULESETS, toRuleset } from "./writers.ts";

/** The table of {@link RULESETS}. */
const TABLE = "ruleset";

/** Overwrites a page of a table, starts a service over the file, and then over a copy from before. */
export const fault: Fault = {
  title: "corrupt page of a table",
  engines: ["sqlite"],

  async run({ check }) {
    const demo = await createDemoDatabase();
    const path = demo.setting.slice("sqlite:".length);
    // The log is written into the file when the last connection closes.
    await demo.store.close();
    const folder = createFolder();
    const copy = join(folder.path, "marquee.db");
    copyFileSync(path, copy);
    overwriteRoot(path);

    const { owner: token } = demo.credentials.accounts;
    const key = demo.credentials.projects[0]?.public_key ?? "";
    const write = ({ url }: Service) =>
      send("POST", `${url}${RULESETS}`, { token, body: toRuleset("corrupt") });
    const read = ({ url }: Service) =>
      send("GET", url + getUrl(PROCEDURES.listEvents, { pageSize: 3 }), {
        headers: { authorization: `Bearer ${key}` },
      });
    const readWritable = async ({ url }: Service) => {
      const { json } = await send("GET", `${url}/readyz`);
      return json.writable;
    };

    const service = await startService({ database: `sqlite:${path}` });
    const rejected = await write(service);
    check("status of a write to the table", rejected.status, rejected.status === 503);
    const retryAfter = rejected.headers.get("retry-after");
    check("Retry-After of that response", `${retryAfter}`, retryAfter === null);
    const list = await read(service);
    check("status of a read of another table", list.status, list.status === 200);
    const writable = await readWritable(service);
    check('"writable" of /readyz', `${writable}`, writable === false);
    const line = /"cause":"the file is corrupt".*database cannot be written/;
    // Lines are written in batches.
    const said = await until(() => line.test(service.log()), 5_000);
    check("ms until the log says that the file is corrupt", said, said < 5_000);
    check("exit code", `${await service.stop()}`, (await service.finished).code === 0);

    const restored = await startService({ database: `sqlite:${copy}` });
    const written = await write(restored);
    check("status of the write to the copy from before", written.status, written.status === 200);
    const isWritable = await readWritable(restored);
    check('"writable" of /readyz over the copy', `${isWritable}`, isWritable === true);
    check("exit code", `${await restored.stop()}`, (await restored.finished).code === 0);
    folder.remove();
    await demo.close();
  },
};

/** Overwrites the page from which all rows of the table are found. */
function overwriteRoot(path: string): void {
  const database = new Database(path);
  const root = database.prepare("select rootpage from sqlite_schema where name = ?").pluck();
  const size = Number(database.pragma("page_size", { simple: true }));
  const position = (Number(root.get(TABLE)) - 1) * size;
  database.close();
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(size, 0xff), 0, size, position);
  closeSync(file);
}
