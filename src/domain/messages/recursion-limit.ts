/**
 * The options for decoding a message that was checked when it was received. JSON is at most 100 levels deep, and a
 * level takes up to three nested messages; the library's own limit is 100 messages.
 */
export const CHECKED_DEPTH = { recursionLimit: 400 } as const;
