import { expect } from "vitest";
import { isHttpUrl, isSitePath } from "../../../src/domain/validation/address-fields.ts";
import { openCases } from "../../harness/cases.ts";

const each = openCases("content/links");

each<[string, string]>("a link", (text, want) => {
  expect([isHttpUrl(text), isSitePath(text)]).toEqual([want === "url", want === "path"]);
});
