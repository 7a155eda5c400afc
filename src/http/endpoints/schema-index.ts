import {
  type DescEnum,
  type DescExtension,
  type DescFile,
  type DescMessage,
  type DescService,
  toBinary,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** Finds descriptor files by their contents, for server reflection: the roots and all of their imports. */
export class SchemaIndex {
  readonly #files = new Map<string, DescFile>();
  readonly #symbols = new Map<string, DescFile>();
  readonly #extensions = new Map<string, Map<number, DescFile>>();

  constructor(roots: readonly DescFile[]) {
    for (const file of roots) this.#add(file);
  }

  /** Finds a file by its name. */
  fileByName(name: string): DescFile | undefined {
    return this.#files.get(name);
  }

  /** Finds the file of a message, field, oneof, enum, enum value, extension, service or method by full name. */
  fileBySymbol(symbol: string): DescFile | undefined {
    return this.#symbols.get(symbol);
  }

  /** Finds the file of an extension. */
  fileByExtension(extendee: string, number: number): DescFile | undefined {
    return this.#extensions.get(extendee)?.get(number);
  }

  /** Lists the extension numbers of a message; undefined for an unknown message. */
  extensionNumbers(extendee: string): number[] | undefined {
    if (!this.#symbols.has(extendee)) return undefined;
    return [...(this.#extensions.get(extendee)?.keys() ?? [])].sort((a, b) => a - b);
  }

  #add(file: DescFile): void {
    if (this.#files.has(file.proto.name)) return;
    this.#files.set(file.proto.name, file);
    for (const dependency of file.dependencies) this.#add(dependency);
    for (const type of nestedTypes(file)) {
      this.#symbols.set(type.typeName, file);
      for (const member of listMembers(type)) this.#symbols.set(member, file);
      if (type.kind !== "extension") continue;
      const { typeName } = type.extendee;
      const numbers = this.#extensions.get(typeName) ?? new Map<number, DescFile>();
      this.#extensions.set(typeName, numbers.set(type.number, file));
    }
  }
}

/** Lists the full names of the declarations in a type; enum values are in the scope of their enum, as in C++. */
function listMembers(type: DescEnum | DescExtension | DescMessage | DescService): string[] {
  switch (type.kind) {
    case "message":
      return [...type.fields, ...type.oneofs].map(({ name }) => `${type.typeName}.${name}`);
    case "service":
      return type.methods.map(({ name }) => `${type.typeName}.${name}`);
    case "enum": {
      const scope = type.typeName.slice(0, type.typeName.lastIndexOf(".") + 1);
      return type.values.map(({ name }) => scope + name);
    }
    default:
      return [];
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
