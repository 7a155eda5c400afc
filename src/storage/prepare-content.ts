/** Makes content ready for a store's import: pure work, for whatever thread has time. */
export { type Content, toContentBatch as prepareContent } from "./sql/content/content-rows.ts";
