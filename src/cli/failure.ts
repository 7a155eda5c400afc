import { existsSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { getSystemErrorMessage } from "node:util";
import { DatabaseSetupError, DomainError } from "../domain/base/errors.ts";
import { withholdCredentials } from "../domain/base/text.ts";
import type { Inputs } from "./program.ts";
import { ConfigError } from "./setting.ts";

/**
 * Describes a failure to the operator, without credentials: an expected one in one line, including its causes. A failed
 * system call names the input that it is about.
 */
export function describeFailure(failure: unknown, inputs: Inputs = new Map()): string {
  return withholdCredentials(describe(failure, inputs));
}

function describe(failure: unknown, inputs: Inputs): string {
  if (!(failure instanceof Error)) return String(failure);
  if (failure instanceof DomainError) return listMessages(failure, inputs).join(": ");
  const isForeseen =
    failure instanceof ConfigError ||
    failure instanceof DatabaseSetupError ||
    isSystemError(failure);
  return isForeseen ? describeMessage(failure, inputs) : (failure.stack ?? failure.message);
}

function listMessages(failure: Error, inputs: Inputs): string[] {
  const { cause } = failure;
  const message = describeMessage(failure, inputs);
  if (!(cause instanceof Error)) return [message];
  // A message that begins with an input is about that input, as its cause is.
  const [subject] = message.split(": ", 1);
  const causes = listMessages(cause, inputs).map((it) =>
    it.startsWith(`${subject}: `) ? it.slice(`${subject}: `.length) : it,
  );
  return [message, ...causes];
}

function describeMessage(failure: Error, inputs: Inputs): string {
  if (!isSystemError(failure)) return failure.message;
  return describePath(failure, inputs) ?? describeAddress(failure, inputs) ?? failure.message;
}

/** Reports whether a system call failed, such as for a port in use. */
export function isSystemError(failure: unknown): failure is NodeJS.ErrnoException {
  return failure instanceof Error && "syscall" in failure;
}

/** A failure with a file or folder. */
type FileFailure = NodeJS.ErrnoException & {
  /** The copy of the file, or its new name. */
  readonly dest?: string;
};

/** Describes a failure with a file or folder that belongs to the path of an input. */
function describePath(
  { path, dest, code, errno = 0 }: FileFailure,
  inputs: Inputs,
): string | undefined {
  // The copy is on the disk that is full.
  const reported = code === "ENOSPC" ? (dest ?? path) : path;
  if (reported === undefined) return undefined;
  const failed = resolve(reported);
  const named = [...inputs]
    .map(([name, value]) => ({ name, file: toPath(value), isDatabase: typeof value === "object" }))
    .filter(({ file }) => file !== "");
  // The path of one input may begin with the path of another.
  const [longest] = named
    .filter(({ file }) => failed.startsWith(resolve(file)))
    .sort((one, other) => other.file.length - one.file.length);
  // Only databases create the folders above them.
  const above = ({ file, isDatabase }: (typeof named)[number]) =>
    isDatabase && resolve(file).startsWith(`${failed}${sep}`);
  const input = longest ?? named.find(above);
  if (input === undefined) return undefined;
  const { name, file } = input;
  const folder = dirname(file);
  if (code === "ENOENT" && !existsSync(folder)) return `${name}: no such folder: '${folder}'`;
  return `${name}: ${getSystemErrorMessage(errno)}: '${file}'`;
}

function toPath(value: unknown): string {
  if (typeof value === "string") return value;
  const isFile = typeof value === "object" && value !== null && "path" in value;
  return isFile ? String(value.path) : "";
}

/** A failure with a socket or with the name of a host. */
type NetworkFailure = NodeJS.ErrnoException & {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
};

/** Describes a failure with the host and port of an input. */
function describeAddress(failure: NetworkFailure, inputs: Inputs): string | undefined {
  const { address = failure.hostname, port, errno = 0 } = failure;
  for (const [name, value] of inputs) {
    if (typeof value !== "object" || value === null || !("host" in value && "port" in value)) {
      continue;
    }
    if (value.host !== address || (port !== undefined && value.port !== port)) continue;
    const remedy =
      failure.code === "EADDRINUSE" ? "; choose another port, or 0 for any free one" : "";
    return `${name}: ${getSystemErrorMessage(errno)}: ${value.host}:${value.port}${remedy}`;
  }
  return undefined;
}
