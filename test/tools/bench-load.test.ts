import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Load, sendLoad } from "../../tools/bench/load.ts";
import { createFolder } from "../harness/folder.ts";
import { frame } from "../harness/grpc-frame.ts";

const SECONDS = 2;

async function listen(server: Server): Promise<Load["server"]> {
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { port, pid: process.pid, startTime: 0, stop: async () => {} };
}

async function http(respond: RequestListener, more: Partial<Load> = {}): Promise<Load> {
  const server = await listen(createServer(respond));
  return { server, requests: [{ method: "GET", path: "/x", headers: {} }], ...more };
}

/** A server of gRPC that returns a message of one byte and then a status, or a status only. */
async function grpc(status: string, message = Buffer.of(1)): Promise<Load> {
  const respond = (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    stream.respond({ ":status": 200 }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": status }));
    stream.end(message.length === 0 ? undefined : frame(message));
  };
  const server = await listen(createHttp2Server().on("stream", respond));
  const request = { method: "POST", path: "/x", headers: { te: "trailers" } } as const;
  return { server, requests: [request], isGrpc: true };
}

describe("a load over HTTP/1.1", () => {
  test("counts large responses", async () => {
    let requests = 0;
    const load = await http((_, response) => {
      requests += 1;
      response.end("x".repeat(200_000));
    });
    const start = performance.now();
    const { rate } = await sendLoad(load, SECONDS);
    const most = (performance.now() - start) / 1_000;
    expect(rate * most).toBeGreaterThanOrEqual(requests);
    expect(rate * SECONDS).toBeLessThanOrEqual(requests);
    expect(requests).toBeGreaterThan(16);
  });

  test("fails on another status", async () => {
    let count = 0;
    const load = await http((_, response) => {
      count += 1;
      response.statusCode = count > 2 ? 503 : 200;
      response.end("not this");
    });
    await expect(sendLoad(load, SECONDS)).rejects.toThrow("/x: 503 instead of 200: not this");
  });

  test("fails if the server closes the connection", async () => {
    const load = await http(({ socket }) => socket.destroy());
    await expect(sendLoad(load, SECONDS)).rejects.toThrow("closed without a response");
  });
});

describe("a load by gRPC", () => {
  test("counts responses of status 0", async () => {
    expect((await sendLoad(await grpc("0"), SECONDS)).rate).toBeGreaterThan(0);
  });

  test("fails on another status, and on a response without a message", async () => {
    await expect(sendLoad(await grpc("13"), SECONDS)).rejects.toThrow("/x: 200, grpc-status 13");
    const silent = await grpc("0", Buffer.alloc(0));
    await expect(sendLoad(silent, SECONDS)).rejects.toThrow("/x: 200, grpc-status 0");
  });
});

describe("a load by wrk", () => {
  /** Replaces wrk by a program that prints a text. */
  async function print(text: string): Promise<Load> {
    const folder = createFolder();
    onTestFinished(() => folder.remove());
    writeFileSync(`${folder.path}/wrk`, `#!/bin/sh\necho '${text}'\n`, { mode: 0o755 });
    vi.stubEnv("PATH", folder.path);
    onTestFinished(() => void vi.unstubAllEnvs());
    return http((_, response) => response.end(), { byWrk: true });
  }

  test("counts its responses", async () => {
    const load = await print("  4321 requests in 2.00s, 1.00MB read");
    const start = performance.now();
    const { rate } = await sendLoad(load, SECONDS);
    expect(rate).toBeGreaterThan((4_321 * 1_000) / (performance.now() - start) - 1);
  });

  test.each([
    "Non-2xx or 3xx responses: 7",
    "Socket errors: connect 0, read 7, write 0, timeout 0",
  ])("fails on %s", async (text) => {
    await expect(sendLoad(await print(text), SECONDS)).rejects.toThrow(text);
  });

  test("names the package if wrk is not installed", async () => {
    vi.stubEnv("PATH", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    const load = await http((_, response) => response.end(), { byWrk: true });
    await expect(sendLoad(load, SECONDS)).rejects.toThrow(
      "wrk is not installed: apt-get install wrk",
    );
  });
});
