/**
 * Writes the interfaces of the client's services, each method with its comment from `proto/`, and the exports of their
 * messages: part of `npm run generate`. Editors show the comment of a method that is declared, and may show none for a
 * method of a mapped type.
 *
 * @module
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DescFile, DescMessage, DescService } from "@bufbuild/protobuf";
import { loadSchema, type Schema } from "./openapi/load-schema.ts";

const HEAD = "// Generated from proto/ by tools/client-services.ts.\n";

/** The longest line of a comment, as in `gen/`. */
const WIDTH = 110;

/** Writes the module with the clients of an API, such as `Studio`: their interfaces, and a function that creates them. */
function toModule(api: string, services: readonly DescService[], { commentOf }: Schema): string {
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
  const clients = services.map((service) => {
    const type = nameOf(service, services);
    const value = type.replace(/Client$/, "Service");
    const name = value === service.name ? value : `${service.name} as ${value}`;
    const path = `../../../gen/${service.file.name}_pb.ts`;
    const member = type.replace(/Client$/, "").replace(/^./, (letter) => letter.toLowerCase());
    return { member, type, value, name, path };
  });
  const values = clients.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const members = clients.map(({ member, type }) => `  readonly ${member}: ${type};\n`);
  const created = clients.map(
    ({ member, value }) => `    ${member}: createClient(${value}, transport),\n`,
  );
  return [
    HEAD,
    'import type { CallOptions, Transport } from "@connectrpc/connect";',
    ...[...imports.values()].sort(),
    ...values.map(({ name, path }) => `import { ${name} } from "${path}";`),
    'import { createClient } from "./client.ts";',
    'import type { Input } from "./input.ts";\n',
    interfaces.join("\n"),
    `/** The services of the ${api} API. A call fails with a {@link MarqueeError}. */`,
    `export interface ${api}Client {\n${members.join("").trimEnd()}`,
    "  /** Carries the calls; for libraries that take one. */",
    "  readonly transport: Transport;\n}\n",
    `/** Creates the clients of the services of the ${api} API. */`,
    `export function create${api}Services(transport: Transport): ${api}Client {`,
    `  return {\n${created.join("")}    transport,\n  };\n}\n`,
  ].join("\n");
}

/**
 * Writes the module that exports the messages of services, from the files that the hand-written module does not name. A
 * service with a later version is not exported.
 */
function toExports(services: readonly DescService[], byHand: string): string {
  const files = new Set<string>();
  const walk = ({ name, dependencies }: DescFile): void => {
    const isExported = name.startsWith("svc/") && !name.startsWith("svc/options/");
    if (!isExported || files.has(name)) return;
    files.add(name);
    for (const file of dependencies) walk(file);
  };
  for (const service of services) if (!isReplaced(service, services)) walk(service.file);
  const exported = [...files].sort().filter((name) => !byHand.includes(`gen/${name}_pb.ts`));
  const lines = exported.map((name) => `export * from "../../../gen/${name}_pb.ts";\n`);
  return `${HEAD}\n${lines.join("")}`;
}

/** Names the interface of a service: with its version if a later version has the same name. */
function nameOf(service: DescService, services: readonly DescService[]): string {
  const base = service.name.replace(/Service$/, "");
  const version = service.typeName.split(".").at(-2)?.toUpperCase();
  return `${base}${isReplaced(service, services) ? version : ""}Client`;
}

/** Reports whether a later version of a service has the same name. */
function isReplaced({ name, typeName }: DescService, services: readonly DescService[]): boolean {
  return services.findLast((it) => it.name === name)?.typeName !== typeName;
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
  for (const [api, prefix] of [
    ["Delivery", "svc.cda"],
    ["Studio", "svc.studio"],
  ] as const) {
    const name = api.toLowerCase();
    const services = schema.listServices(prefix);
    writeFileSync(join(folder, `${name}-services.ts`), toModule(api, services, schema));
    const byHand = readFileSync(`packages/client/src/${name}.ts`, "utf8");
    const messages = toExports(services, byHand);
    writeFileSync(join(folder, `${name}-messages.ts`), messages);
  }
}
