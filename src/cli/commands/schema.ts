import { writeFile } from "node:fs/promises";
import { command } from "../command.ts";
import { isStandardOutput, rejectBanner } from "../output.ts";
import { ConfigError } from "../setting.ts";

/** Writes the descriptor set of both APIs. */
export const SCHEMA = command({
  summary: "write the schema of both APIs as a descriptor set, for buf and protoc",
  settings: {},
  argument: ["[file]", "file to write or replace; default: standard output"],
  examples: [["schema marquee.binpb", "write the schema, for buf generate marquee.binpb"]],
  interrupted: "the file may be incomplete",
  async run(_, file, env) {
    if (isStandardOutput(file) && process.stdout.isTTY) {
      throw new ConfigError("the schema is binary: pass a file, or redirect standard output");
    }
    const { readDescriptorSet } = await import("../../http/endpoints/documents.ts");
    await writeDocument(file, env, readDescriptorSet);
  },
});

/** Writes the OpenAPI document of both APIs. */
export const OPENAPI = command({
  summary: "write the OpenAPI document of both APIs",
  settings: {},
  argument: ["[file]", "file to write or replace; default: standard output"],
  examples: [["openapi openapi.json", "write the document"]],
  interrupted: "the file may be incomplete",
  async run(_, file, env) {
    const { readOpenApi } = await import("../../http/endpoints/documents.ts");
    await writeDocument(file, env, readOpenApi);
  },
});

/** Writes a document to a file, which is replaced, or to standard output. */
async function writeDocument(
  file: string,
  env: NodeJS.ProcessEnv,
  read: () => Promise<Uint8Array>,
): Promise<void> {
  if (isStandardOutput(file)) rejectBanner(env);
  const bytes = await read();
  if (!isStandardOutput(file)) return writeFile(file, bytes);
  const { toStream } = await import("../../transfer/export-file.ts");
  await toStream(process.stdout).write(bytes);
}
