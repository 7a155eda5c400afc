import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { readMemory } from "../../test/harness/process-usage.ts";
import { createDemoDatabase } from "./database.ts";
import type { Fault } from "./fault.ts";
import { startReaders } from "./readers.ts";
import { startService } from "./service.ts";

/** Connections that send nothing after one request. */
const IDLE = 10_000;

/** Connections that send a byte of a request each second. */
const SLOW = 500;

/** Connections opened at the same time. */
const AT_ONCE = 100;

const REQUEST = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

/** How long readers read, in milliseconds. */
const READ_TIME = 10_000;

/** Opens many connections that do nothing, or little, while others read. */
export const fault: Fault = {
  title: `${IDLE} idle connections, ${SLOW} slow senders`,
  engines: ["sqlite", "postgres"],

  async run({ isQuick, report, check }) {
    const database = await createDemoDatabase();
    const key = database.credentials.projects[0]?.public_key ?? "";
    const service = await startService({ database: database.setting });
    const port = Number(new URL(service.url).port);

    const before = startReaders(service.url, key, 4);
    await setTimeout(isQuick ? 2_000 : READ_TIME);
    await before.stop();
    report("p99 of reads before, in ms", Math.round(before.percentile(0.99)));
    const memory = readMemory(service.pid);

    const idle = await openAll(port, isQuick ? 1_000 : IDLE, REQUEST);
    const slow = await openAll(port, SLOW, "");
    const drip = startDrip(slow);
    const readers = startReaders(service.url, key, 4);
    await setTimeout(isQuick ? 2_000 : READ_TIME);
    await readers.stop();
    clearInterval(drip);

    const open = idle.filter(({ destroyed }) => !destroyed).length;
    check("idle connections still open", open, open === idle.length);
    check(`failed reads, of ${readers.count()}`, readers.failures(), readers.failures() === 0);
    report("p99 of concurrent reads, in ms", Math.round(readers.percentile(0.99)));
    const grown = readMemory(service.pid) - memory;
    report("memory of the process before, in MB", Math.round(memory));
    report("KB of memory for each connection", Math.round((grown * 1_000) / (open + SLOW)));
    for (const socket of [...idle, ...slow]) socket.destroy();
    check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
    await database.close();
  },
};

/** Opens connections and sends the same bytes on each; waits for the start of a response if there are any. */
async function openAll(port: number, count: number, bytes: string): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  const openSome = async () => {
    while (sockets.length < count) {
      const socket = connect(port, "127.0.0.1");
      sockets.push(socket);
      await new Promise((resolve, reject) => {
        socket.once("error", reject);
        socket.once(bytes === "" ? "connect" : "data", resolve);
        socket.write(bytes);
      });
      socket.on("error", () => socket.destroy());
      socket.resume();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, openSome));
  return sockets;
}

/** Sends a byte of a request on each connection every second. */
function startDrip(sockets: readonly Socket[]): NodeJS.Timeout {
  let sent = 0;
  return setInterval(() => {
    const byte = REQUEST[sent % REQUEST.length] ?? "";
    for (const socket of sockets) if (socket.writable) socket.write(byte);
    sent += 1;
  }, 1_000);
}
