import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, describe, expect, test } from "vitest";
import { readComments } from "../../../tools/openapi/comments.ts";
import { PROCEDURES } from "../../harness/calls.ts";
import { runCommand } from "../../harness/command.ts";
import { createFolder } from "../../harness/folder.ts";
import { send } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { BUF, MARQUEE, ROOT, run } from "../../harness/process.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const marquee = await useMarquee();
const folder = createFolder();
afterAll(() => folder.remove());
const response = await fetch(`${marquee.url}/schema.binpb`);
const schema = new Uint8Array(await response.arrayBuffer());

describe("/schema.binpb", () => {
  test("describes every interface and the details of errors, with comments", () => {
    const { file } = fromBinary(FileDescriptorSetSchema, schema);
    const comments = readComments(file);
    for (const [name, want] of [
      ["svc.cda.cms.event.v1.EventService", "Delivers events, such as matches and live shows."],
      ["svc.studio.ott.page.v1.GetPageRequest.page_id", expect.stringContaining("Id of the page")],
      ["svc.type.v1.Visibility.VISIBILITY_PUBLISHED", expect.any(String)],
      ["google.rpc.ErrorInfo", expect.stringContaining("the cause of the error")],
    ]) {
      expect(comments.get(name)).toEqual(want);
    }
  });

  test("is cached, compressed for clients that accept it, and 304 for clients that have it", async () => {
    for (const coding of ["gzip", "identity"]) {
      const headers = { "accept-encoding": coding };
      const got = await send("GET", `${marquee.url}/schema.binpb`, { headers });
      expect(got.status).toBe(200);
      expect(got.headers.get("content-type")).toBe("application/x-protobuf");
      expect(got.headers.get("cache-control")).toBe("public, max-age=300");
      expect(got.headers.get("vary")).toBe("Accept-Encoding");
      expect(got.headers.get("content-encoding")).toBe(coding === "gzip" ? "gzip" : null);
      const again = await send("GET", `${marquee.url}/schema.binpb`, {
        headers: { ...headers, "if-none-match": got.headers.get("etag") ?? "" },
      });
      expect([again.status, again.text]).toEqual([304, ""]);
    }
  });

  test("is what buf generates a client from", async () => {
    const plugin = {
      local: join(ROOT, "node_modules/.bin/protoc-gen-es"),
      out: join(folder.path, "client"),
      include_imports: true,
      // One process for all folders.
      strategy: "all",
      opt: ["target=ts"],
    };
    const template = join(folder.path, "buf.gen.yaml");
    writeFileSync(template, JSON.stringify({ version: "v2", plugins: [plugin] }));
    const args = ["generate", `${marquee.url}/schema.binpb`, "--template", template];
    expect(await run(BUF, args)).toMatchObject({ code: 0, stderr: "" });
    const read = (file: string) => readFileSync(join(plugin.out, file), "utf8");
    expect(read("svc/cda/cms/event/v1/event_service_pb.ts")).toContain("* Delivers events, such");
    expect(existsSync(join(plugin.out, "google/api/annotations_pb.ts"))).toBe(true);
    expect(existsSync(join(plugin.out, "google/rpc/error_details_pb.ts"))).toBe(true);
  });

  test("is what buf calls by", async () => {
    const got = await run(BUF, [
      ...["curl", "--schema", `${marquee.url}/schema.binpb`, "-d", '{"pageSize": 2}'],
      ...["-H", `Authorization: Bearer ${marquee.keys.public}`],
      marquee.url + PROCEDURES.listEvents,
    ]);
    expect(got.stderr).toBe("");
    expect(JSON.parse(got.stdout).events).toHaveLength(2);
  });

  test("is hidden with reflection", async () => {
    const hidden = await startOver(marquee.store, { reflection: false });
    expect((await send("GET", `${hidden.studioUrl}/schema.binpb`)).status).toBe(404);
    await hidden.close(1_000);
  });
});

describe("marquee schema", () => {
  test("writes the schema to a file, which it replaces, or to standard output", async () => {
    const file = join(folder.path, "schema.binpb");
    writeFileSync(file, "replaced");
    expect(await runCommand("schema", file)).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(readFileSync(file).equals(schema)).toBe(true);
    const text = `set -o pipefail; "$0" "$@" | cmp - ${file}`;
    const args = ["-c", text, MARQUEE.program, ...MARQUEE.args("schema")];
    expect(await run("bash", args)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  test("writes nothing to a terminal", async () => {
    const { isTTY } = process.stdout;
    process.stdout.isTTY = true;
    const got = await runCommand("schema");
    process.stdout.isTTY = isTTY;
    expect(got).toMatchObject({ code: 2, stdout: "" });
    expect(got.stderr).toContain("the schema is binary");
  });
});
