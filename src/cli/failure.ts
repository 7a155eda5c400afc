import { DatabaseSetupError, DomainError } from "../domain/errors.ts";
import { ConfigError } from "./setting.ts";

/** Describes a failure to the operator: an expected one in one line, including its causes. */
export function describeFailure(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  if (failure instanceof DomainError) return listMessages(failure).join(": ");
  const isForeseen =
    failure instanceof ConfigError ||
    failure instanceof DatabaseSetupError ||
    isSystemError(failure);
  return isForeseen ? failure.message : (failure.stack ?? failure.message);
}

function listMessages({ message, cause }: Error): string[] {
  return [message, ...(cause instanceof Error ? listMessages(cause) : [])];
}

/** Reports whether a system call failed, such as for a port in use: its message suffices for the operator. */
export function isSystemError(failure: unknown): failure is NodeJS.ErrnoException {
  return failure instanceof Error && "syscall" in failure;
}
