// A receiver of actions in a process of its own, to be stopped: prints its port, then the id of each request.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  request.resume();
  request.once("end", () => {
    process.stdout.write(`${request.headers["webhook-id"]}\n`);
    response.end();
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
