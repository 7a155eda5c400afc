import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { startReceiver } from "./receiver.ts";

const SEND = new URL("../../src/outbox/send.ts", import.meta.url);

/** Sends once, and then asks as Node does by itself, to see that it obeys the proxy. */
const PROGRAM = `
  import { once } from "node:events";
  import http from "node:http";
  const { createSender } = await import(${JSON.stringify(SEND)});
  const url = process.argv[1];
  const sender = createSender({ allowPrivateTargets: true });
  const outcome = await sender.send({ url: url + "/sent", headers: {}, body: "" });
  const [response] = await once(http.get(url + "/asked"), "response");
  response.resume();
  process.stdout.write(JSON.stringify(outcome));
`;

test("a proxy that the environment names is passed by", async () => {
  const proxy = await startReceiver((_request, response) => void response.writeHead(418).end());
  const receiver = await startReceiver((_request, response) => void response.end());
  const child = spawn(
    process.execPath,
    ["--use-env-proxy", "--input-type=module", "--eval", PROGRAM, receiver.url],
    {
      env: {
        ...process.env,
        http_proxy: proxy.url,
        HTTP_PROXY: proxy.url,
        NO_PROXY: "",
        no_proxy: "",
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  expect(JSON.parse(output)).toEqual({ kind: "responded", status: 200 });
  expect(receiver.requests.map(({ path }) => path)).toEqual(["/sent"]);
  expect(proxy.requests.map(({ path }) => path)).toEqual([`${receiver.url}/asked`]);
  await Promise.all([proxy.close(), receiver.close()]);
});
