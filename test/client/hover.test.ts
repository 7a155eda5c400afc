import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ROOT } from "../harness/process.ts";

// The language server of TypeScript, whose hovers editors show.
const server = spawn(join(ROOT, "node_modules/.bin/tsc"), ["--lsp", "--stdio"], { cwd: ROOT });
afterAll(() => server.kill());

const waiting = new Map<number, (result: unknown) => void>();
let received = Buffer.alloc(0);
server.stdout.on("data", (chunk: Buffer) => {
  received = Buffer.concat([received, chunk]);
  for (;;) {
    const start = received.indexOf("\r\n\r\n") + 4;
    const [, length = 0] = /Content-Length: (\d+)/.exec(received.toString("latin1")) ?? [];
    const end = start + Number(length);
    if (start < 4 || received.length < end) return;
    const { id, method, params, result } = JSON.parse(received.toString("utf8", start, end));
    received = received.subarray(end);
    if (method === undefined) waiting.get(id)?.(result);
    else if (id !== undefined) send({ id, result: params?.items?.map(() => null) ?? null });
  }
});

function send(message: object): void {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

function ask(id: number, method: string, params: unknown): Promise<unknown> {
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    send({ id, method, params });
  });
}

test("a hover shows the name of a service's client, and the comment of a method with its reasons", async () => {
  const uri = `file://${ROOT}test/client/program.ts`;
  const text = `import { createDeliveryClient } from "../../packages/client/src/index.ts";
const delivery = createDeliveryClient({ url: "http://x", key: "mqp_x" });
delivery.page.getPage({ slug: "home" });`;
  const capabilities = { textDocument: { hover: { contentFormat: ["markdown"] } } };
  await ask(1, "initialize", { processId: process.pid, rootUri: `file://${ROOT}`, capabilities });
  send({ method: "initialized", params: {} });
  const textDocument = { uri, languageId: "typescript", version: 1, text };
  send({ method: "textDocument/didOpen", params: { textDocument } });
  const hover = async (id: number, word: string) => {
    const position = { line: 2, character: (text.split("\n")[2] ?? "").indexOf(word) };
    return JSON.stringify(await ask(id, "textDocument/hover", { textDocument: { uri }, position }));
  };
  expect(await hover(2, "page")).toContain("(property) DeliveryClient.page: PageClient\\n");
  const method = await hover(3, "getPage");
  expect(method).toContain("request: Input<GetPageRequest>");
  expect(method).toContain("Gets a page with everything needed to render it");
  expect(method).toContain("- PAGE_KEY_INVALID: ");
});
