import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { DescEnum, DescFile, DescMessage, DescMethod } from "@bufbuild/protobuf";

const GENERATED = fileURLToPath(new URL("../../gen/svc/", import.meta.url));

/** Every file of the contract, found on the disk. */
export const FILES: readonly DescFile[] = await Promise.all(
  readdirSync(GENERATED, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("_pb.ts"))
    .sort()
    .map((name) => loadFile(join(GENERATED, name))),
);

/** Every method under `svc.`. */
export const METHODS: readonly DescMethod[] = FILES.flatMap((file) =>
  file.services.flatMap((service) => service.methods),
);

/** Every message under `svc.`, nested ones included. */
export const MESSAGES: readonly DescMessage[] = FILES.flatMap((file) =>
  file.messages.flatMap(withNested),
);

/** Every enumeration under `svc.`, nested ones included. */
export const ENUMS: readonly DescEnum[] = [
  ...FILES.flatMap((file) => file.enums),
  ...MESSAGES.flatMap((message) => message.nestedEnums),
];

/** Names a method as errors and logs do. */
export function nameOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

/** Lists a message and every message below its fields, but those of `google.`. */
export function reachable(root: DescMessage): DescMessage[] {
  const seen = new Set<DescMessage>();
  const visit = (message: DescMessage): void => {
    if (seen.has(message) || message.typeName.startsWith("google.")) return;
    seen.add(message);
    for (const field of message.fields) if (field.message) visit(field.message);
  };
  visit(root);
  return [...seen];
}

function withNested(message: DescMessage): DescMessage[] {
  return [message, ...message.nestedMessages.flatMap(withNested)];
}

async function loadFile(path: string): Promise<DescFile> {
  const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  const file = Object.values(module).find(isFile);
  if (file === undefined) throw new Error(`${path} holds no file descriptor`);
  return file;
}

function isFile(value: unknown): value is DescFile {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "file";
}
