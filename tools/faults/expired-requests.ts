import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { openDatabase } from "../../test/harness/database.ts";
import { createDemoDatabase } from "./database.ts";
import type { Fault } from "./fault.ts";
import { checkWrites } from "./outbox-load.ts";
import { startService } from "./service.ts";
import { listRulesets, RULESETS, startWriters, toRuleset } from "./writers.ts";

/** The responses that expired while no process deleted them. */
const EXPIRED = 4_000_000;

/** Writes with request ids while millions of responses to earlier ones have expired. */
export const fault: Fault = {
  title: "millions of expired request ids",
  engines: ["postgres"],

  async run(run) {
    const count = run.isQuick ? EXPIRED / 20 : EXPIRED;
    const database = await createDemoDatabase();
    const token = database.credentials.accounts.owner;
    const rows = openDatabase(database.address);
    await sql`
      insert into answered_request
        (organization_id, account_id, request_id, request_hash, answer, expire_time)
      select organization_id, id, 'expired-' || number, decode(repeat('00', 32), 'hex'),
        decode(repeat('00', 400), 'hex'), number
      from account, generate_series(1, cast(${count} as int)) as number where id = 'account-owner'
    `.execute(rows);
    const countExpired = async () => {
      const query = sql<{ readonly count: number }>`
        select count(*)::int as count from answered_request where expire_time <= ${count}
      `;
      return (await query.execute(rows)).rows[0]?.count ?? 0;
    };
    const service = await startService({ database: database.setting });
    const { url } = service;
    const writers = startWriters({
      ...{ url, token, prefix: "expired-", count: 4, path: RULESETS, toBody: toRuleset },
    });
    await setTimeout(10_000);
    await writers.stop();
    const slowest = Math.round(writers.slowest());
    run.check("slowest write in ms", slowest, slowest <= 2_000);
    run.check("writes with status 503", writers.unavailable(), writers.unavailable() === 0);
    const names = await listRulesets(url, token);
    checkWrites(
      run,
      writers,
      names.filter((name) => name.startsWith("expired-")),
    );
    const left = await countExpired();
    run.check("expired responses, and deleted by now", `${count}, ${count - left}`, left < count);
    run.check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
    await rows.destroy();
    await database.close();
  },
};
