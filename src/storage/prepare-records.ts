/** Prepares records for import: a pure function that can run on any thread. */
export { prepareRecords } from "./sql/transfer/record-batches.ts";
