import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { startIdentityProvider } from "../../demo/identity-provider.ts";
import { getUrl, PROCEDURES } from "../../test/harness/calls.ts";
import { createFolder } from "../../test/harness/folder.ts";
import { send } from "../../test/harness/http.ts";
import { startReceiver } from "../../test/outbox/receiver.ts";
import { createHook, type Hook } from "./action.ts";
import { createDemoDatabase } from "./database.ts";
import type { Fault, FaultRun } from "./fault.ts";
import { type Service, startService } from "./service.ts";
import { until } from "./until.ts";
import { limitStreams, signIn } from "./viewer.ts";

const HOUR = 3_600_000;

/** The pause between two looks at a condition, in milliseconds. */
const PAUSE = 500;

/** The requests of a credential in a minute. */
const RATE = 50;

/** The steps of the clock, in hours from the true time. */
const STEPS = [1, 0, -1, 0];

/** Returns the user of a step. */
const toSubject = (_: number, index: number) => `viewer-${index}`;

/** The input of every step. */
interface Scene {
  readonly service: Service;
  readonly token: string;
  readonly keys: readonly string[];
  readonly hook: Hook;
  setClock(hours: number): Promise<void>;
  now(): Date;
}

/** Sets the clock of a process forward and back by an hour. */
export const fault: Fault = {
  title: "clock set forward and back by an hour",
  engines: ["sqlite", "postgres"],

  async run(run) {
    const database = await createDemoDatabase();
    const { owner: token } = database.credentials.accounts;
    const keys = database.credentials.projects.flatMap((it) => [it.public_key, it.preview_key]);
    const provider = await startIdentityProvider();
    const received = await startReceiver((_request, response) => response.end());
    const folder = createFolder();
    const clock = join(folder.path, "clock");
    let shift = 0;
    const setClock = async (hours: number) => {
      shift = hours * HOUR;
      writeFileSync(clock, `${shift}`);
      await setTimeout(200);
    };
    await setClock(0);
    const service = await startService({
      database: database.setting,
      nodeFlags: ["--import", new URL("shifted-clock.ts", import.meta.url).href],
      env: { FAULT_CLOCK: clock },
      flags: [
        ...["--identity-issuers", `${provider.issuer}=${provider.jwksUrl}`, "--keep-alive", "5"],
        ...["--actions-allow-private", "--rate-per-credential", `${RATE}`],
      ],
    });
    await limitStreams(service.url, token, STEPS.map(toSubject));
    const hook = await createHook({ url: service.url, token }, "corner", received);
    const now = () => new Date(Date.now() + shift);
    const scene = { service, token, keys, hook, setClock, now };

    for (const [index, hours] of STEPS.entries()) {
      const from = STEPS[index - 1] ?? 0;
      const what = `${hours > from ? "forward" : "back"} to ${hours} h: `;
      const viewer = await signIn(service.url, keys[0] ?? "", {
        ...{ provider, subject: toSubject(hours, index), time: now() },
      });
      const statuses = [];
      for (const stream of ["a", "b", "c", "d"]) statuses.push(await viewer.play(stream));
      if (statuses.join() !== "200,200,200,429")
        throw new Error(`streams not limited: ${statuses}`);
      await exhaust(scene, keys[2] ?? "");
      await setClock(hours);
      const wait = await until(async () => (await viewer.play("e")) === 200, 20_000, PAUSE);
      run.check(`${what}s until abandoned streams are free`, toSeconds(wait), wait <= 15_000);
      await checkService(run, what, scene);
    }
    run.check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
    await Promise.all([received.close(), provider.close(), database.close()]);
    folder.remove();
  },
};

/** Checks what else depends on the clock. */
async function checkService({ check }: FaultRun, what: string, scene: Scene): Promise<void> {
  const { service, token, keys, hook } = scene;
  const { status } = await list(service.url, keys[2] ?? "");
  check(`${what}status for a key that had no requests left`, status, status === 200);
  const limited = await exhaust(scene, keys[2] ?? "");
  check(`${what}requests until it has none left again`, limited, limited <= RATE + 1);

  const changed = `Changed ${Math.random()}`;
  const entity = `${service.url}/cms/events/v1/match-2026-104`;
  const body = { event: { title: { en: changed } }, update_mask: "title" };
  const got = await send("PATCH", entity, { token, body });
  if (got.status !== 200) throw new Error(`not changed: ${got.text}`);
  const isSeen = async () => (await list(service.url, keys[0] ?? "")).text.includes(changed);
  const seen = await until(isSeen, 5_000, PAUSE);
  check(`${what}s until a change is read`, toSeconds(seen), seen <= 1_000);

  const id = await hook.trigger();
  const delivered = await until(() => hook.isDelivered(id), 20_000, PAUSE);
  check(`${what}s until an action is sent`, toSeconds(delivered), delivered <= 5_000);
}

function list(url: string, key: string) {
  const message = { filter: 'id: "match-2026-104"' };
  return send("GET", url + getUrl(PROCEDURES.listEvents, message), {
    headers: { authorization: `Bearer ${key}` },
  });
}

/** Sends requests with a key until they are rejected; returns how many. */
async function exhaust({ service }: Scene, key: string): Promise<number> {
  for (let count = 1; count <= 4 * RATE; count += 1) {
    if ((await list(service.url, key)).status === 429) return count;
  }
  return 4 * RATE;
}

function toSeconds(time: number): string {
  return (time / 1_000).toFixed(1);
}
