import { Code, DomainError } from "../../domain/errors.ts";

/**
 * Waits for a result for at most the caller's timeout, in milliseconds; throws `DEADLINE_PASSED` afterwards.
 */
export async function withinTime<T>(time: number | undefined, result: Promise<T>): Promise<T> {
  if (time === undefined) return result;
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(deadlinePassed()), time);
  });
  try {
    return await Promise.race([result, end]);
  } finally {
    clearTimeout(timer);
  }
}

/** Creates the error of a call that exceeds its deadline. */
export function deadlinePassed(): DomainError {
  return new DomainError(
    Code.DEADLINE_EXCEEDED,
    "DEADLINE_PASSED",
    "the call took longer than its deadline allows",
  );
}
