import { type DescExtension, type DescFile, type DescMessage, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** Finds descriptor files by their contents, for server reflection. */
export interface SchemaIndex {
  fileByName(name: string): DescFile | undefined;
  /** Finds the file of a message, field, oneof, enum, enum value, extension, service or method by full name. */
  fileBySymbol(symbol: string): DescFile | undefined;
  fileByExtension(extendee: string, number: number): DescFile | undefined;
  /** Lists the extension numbers of a message; undefined for an unknown message. */
  extensionNumbers(extendee: string): number[] | undefined;
}

/** Indexes files and all of their imports, including those used for options only. */
export function createSchemaIndex(roots: readonly DescFile[]): SchemaIndex {
  const files = new Map<string, DescFile>();
  const symbols = new Map<string, DescFile>();
  const extensions = new Map<string, Map<number, DescFile>>();

  for (const file of roots) visit(file);
  return {
    fileByName: (name) => files.get(name),
    fileBySymbol: (symbol) => symbols.get(symbol),
    fileByExtension: (extendee, number) => extensions.get(extendee)?.get(number),
    extensionNumbers(extendee) {
      if (!symbols.has(extendee)) return undefined;
      return [...(extensions.get(extendee)?.keys() ?? [])].sort((a, b) => a - b);
    },
  };

  function visit(file: DescFile): void {
    if (files.has(file.proto.name)) return;
    files.set(file.proto.name, file);
    for (const dependency of file.dependencies) visit(dependency);
    for (const message of file.messages) addMessage(message, file);
    for (const extension of file.extensions) addExtension(extension, file);
    for (const { typeName, values } of file.enums) addEnum(typeName, values, file);
    for (const service of file.services) {
      symbols.set(service.typeName, file);
      for (const { name } of service.methods) symbols.set(`${service.typeName}.${name}`, file);
    }
  }

  function addMessage(message: DescMessage, file: DescFile): void {
    symbols.set(message.typeName, file);
    for (const { name } of [...message.fields, ...message.oneofs]) {
      symbols.set(`${message.typeName}.${name}`, file);
    }
    for (const { typeName, values } of message.nestedEnums) addEnum(typeName, values, file);
    for (const extension of message.nestedExtensions) addExtension(extension, file);
    for (const nested of message.nestedMessages) addMessage(nested, file);
  }

  /** Indexes enum values in the scope of their enum, as in C++. */
  function addEnum(typeName: string, values: readonly { name: string }[], file: DescFile): void {
    symbols.set(typeName, file);
    const scope = typeName.slice(0, typeName.lastIndexOf(".") + 1);
    for (const { name } of values) symbols.set(scope + name, file);
  }

  function addExtension(extension: DescExtension, file: DescFile): void {
    symbols.set(extension.typeName, file);
    const { typeName } = extension.extendee;
    const numbers = extensions.get(typeName) ?? new Map<number, DescFile>();
    extensions.set(typeName, numbers.set(extension.number, file));
  }
}

/** Serializes a file and its imports that were not sent before, the file first. */
export function serializeFiles(file: DescFile, sent: Set<string>): Uint8Array[] {
  if (sent.has(file.proto.name)) return [];
  sent.add(file.proto.name);
  return [
    toBinary(FileDescriptorProtoSchema, file.proto),
    ...file.dependencies.flatMap((dependency) => serializeFiles(dependency, sent)),
  ];
}
