/**
 * Writes the interfaces of the client's services, each method with its comment from `proto/`: part of `npm run generate`.
 * Editors show the comment of a method that is declared, and may show none for a method of a mapped type.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DescMessage, DescService } from "@bufbuild/protobuf";
import { loadSchema, type Schema } from "./openapi/load-schema.ts";

/** The longest line of a comment, as in `gen/`. */
const WIDTH = 110;

/** Writes the module with the interfaces of services. */
function toModule(services: readonly DescService[], { commentOf }: Schema): string {
  const imports = new Map<string, string>();
  function typeOf({ name, file }: DescMessage): string {
    imports.set(name, `import type { ${name} } from "../../../gen/${file.name}_pb.ts";`);
    return name;
  }
  const interfaces = services.map((service) => {
    const methods = service.methods.map((method) => {
      const comment = toComment(commentOf(`${service.typeName}.${method.name}`), "  ");
      const request = `request: Input<${typeOf(method.input)}>, options?: CallOptions`;
      return `${comment}  ${method.localName}(${request}): Promise<${typeOf(method.output)}>;\n`;
    });
    const name = nameOf(service, services);
    const head = toComment(commentOf(service.typeName), "");
    return `${head}export interface ${name} {\n${methods.join("\n")}}\n`;
  });
  return [
    "// Generated from proto/ by tools/client-services.ts.\n",
    'import type { CallOptions } from "@connectrpc/connect";',
    ...[...imports.values()].sort(),
    'import type { Input } from "./input.ts";\n',
    interfaces.join("\n"),
  ].join("\n");
}

/** Names the interface of a service: with its version if a later version has the same name. */
function nameOf({ name, typeName }: DescService, services: readonly DescService[]): string {
  const base = name.replace(/Service$/, "");
  const latest = services.findLast((it) => it.name === name);
  const version = latest?.typeName === typeName ? "" : typeName.split(".").at(-2)?.toUpperCase();
  return `${base}${version}Client`;
}

/** Writes a comment for a declaration, its paragraphs in lines of at most {@link WIDTH}. */
function toComment(text: string, indent: string): string {
  const lines = text.split("\n").flatMap((line) => wrap(line, WIDTH - indent.length));
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd());
  return [`${indent}/**`, ...body, `${indent} */\n`].join("\n");
}

/** Breaks a line at spaces; the lines after the first of a list item are indented. */
function wrap(line: string, width: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width && rest.trimStart().includes(" ")) {
    const end = rest.lastIndexOf(" ", width);
    lines.push(rest.slice(0, end));
    rest = `${line.startsWith("- ") ? "  " : ""}${rest.slice(end + 1)}`;
  }
  return [...lines, rest];
}

if (import.meta.main) {
  const [folder = "packages/client/src"] = process.argv.slice(2);
  mkdirSync(folder, { recursive: true });
  const schema = await loadSchema();
  for (const [name, prefix] of [
    ["delivery", "svc.cda"],
    ["studio", "svc.studio"],
  ] as const) {
    const text = toModule(schema.listServices(prefix), schema);
    writeFileSync(join(folder, `${name}-services.ts`), text);
  }
}
