import type {
  DescriptorProto,
  EnumDescriptorProto,
  FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";

/** The numbers of the fields of descriptors, which are the steps of a path. */
const FILE = { message: 4, enum: 5, service: 6 } as const;
const MESSAGE = { field: 2, message: 3, enum: 4 } as const;
const SERVICE = { method: 2 } as const;
const ENUM = { value: 2 } as const;

/**
 * Reads the comments above the elements of files, by full name. The name of a value includes the name of its enum. Each
 * paragraph is one line.
 */
export function readComments(files: readonly FileDescriptorProto[]): ReadonlyMap<string, string> {
  const comments = new Map<string, string>();
  for (const file of files) readFile(file, comments);
  return comments;
}

function readFile(file: FileDescriptorProto, comments: Map<string, string>): void {
  const leading = new Map(
    file.sourceCodeInfo?.location
      .filter(({ leadingComments }) => leadingComments !== "")
      .map(({ path, leadingComments }) => [path.join("."), leadingComments]),
  );
  for (const [i, message] of file.messageType.entries()) {
    readMessage(message, file.package, `${FILE.message}.${i}`);
  }
  for (const [i, it] of file.enumType.entries()) readEnum(it, file.package, `${FILE.enum}.${i}`);
  for (const [i, { name, method }] of file.service.entries()) {
    const path = `${FILE.service}.${i}`;
    const service = add(file.package, name, path);
    for (const [j, it] of method.entries()) add(service, it.name, `${path}.${SERVICE.method}.${j}`);
  }

  function readMessage(message: DescriptorProto, scope: string, path: string): void {
    const full = add(scope, message.name, path);
    for (const [i, { name }] of message.field.entries()) {
      add(full, name, `${path}.${MESSAGE.field}.${i}`);
    }
    for (const [i, it] of message.nestedType.entries()) {
      readMessage(it, full, `${path}.${MESSAGE.message}.${i}`);
    }
    for (const [i, it] of message.enumType.entries()) {
      readEnum(it, full, `${path}.${MESSAGE.enum}.${i}`);
    }
  }

  function readEnum({ name, value }: EnumDescriptorProto, scope: string, path: string): void {
    const full = add(scope, name, path);
    for (const [i, it] of value.entries()) add(full, it.name, `${path}.${ENUM.value}.${i}`);
  }

  function add(scope: string, name: string, path: string): string {
    const full = `${scope}.${name}`;
    const text = leading.get(path);
    if (text !== undefined) comments.set(full, toParagraphs(text));
    return full;
  }
}

/** Joins the lines of each paragraph; lists keep their lines. */
function toParagraphs(text: string): string {
  return text
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) =>
      paragraph.trim().replace(/\n\s*(- )?/g, (_, item?: string) => (item ? `\n${item}` : " ")),
    )
    .join("\n\n");
}
