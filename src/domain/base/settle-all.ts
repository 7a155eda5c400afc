/**
 * Runs parts of a transaction that do not depend on each other, so that an engine can send their statements together.
 * Ends when all have ended, because a part that continued after another failed would write into later work. Fails
 * with the error of the first part that failed, in their order.
 */
export async function settleAll<const Parts extends readonly unknown[]>(
  parts: Parts,
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  const failed = (await Promise.allSettled(parts)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  return Promise.all(parts);
}
