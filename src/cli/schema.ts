import { writeFile } from "node:fs/promises";
import { readDescriptorSet, readOpenApi } from "../http/endpoints/schema.ts";
import { toStream } from "../transfer/export-file.ts";
import { ConfigError } from "./setting.ts";
import { rejectBanner } from "./standard-output.ts";

/** Runs `marquee schema [FILE|-]`: writes the descriptor set of both APIs. */
export async function writeSchema(file: string, env: NodeJS.ProcessEnv): Promise<void> {
  if (file === "-" && process.stdout.isTTY) {
    throw new ConfigError("the schema is binary: pass a file, or redirect standard output");
  }
  await writeDocument(file, env, readDescriptorSet);
}

/** Runs `marquee openapi [FILE|-]`: writes the OpenAPI document. */
export function writeOpenApiDocument(file: string, env: NodeJS.ProcessEnv): Promise<void> {
  return writeDocument(file, env, readOpenApi);
}

/** Writes a document to a file, which is replaced, or to standard output as `-`. */
async function writeDocument(
  file: string,
  env: NodeJS.ProcessEnv,
  read: () => Promise<Uint8Array>,
): Promise<void> {
  if (file === "-") rejectBanner(env);
  const bytes = await read();
  if (file !== "-") return writeFile(file, bytes);
  await toStream(process.stdout).write(bytes);
}
