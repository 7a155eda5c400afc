/** Makes records ready for a store's import: pure work, for whatever thread has time. */
export { prepareRecords } from "./sql/transfer/record-batches.ts";
