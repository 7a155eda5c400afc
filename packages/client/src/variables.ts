export * from "../../../src/domain/variables/index.ts";
