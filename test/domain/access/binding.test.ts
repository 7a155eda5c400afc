import { expect } from "vitest";
import { checkOwnerRemains } from "../../../src/domain/access/binding.ts";
import { Code } from "../../../src/domain/errors.ts";
import { openCases } from "../../harness/cases.ts";
import { refusal } from "../../harness/refusal.ts";

const each = openCases("access/binding");

each<[readonly string[], readonly string[], boolean]>(
  "an organization keeps an owner",
  (owners, leaving, isRefused) => {
    const check = () =>
      checkOwnerRemains("o", owners, (it) => (leaving as readonly string[]).includes(it));
    if (isRefused)
      expect(check).toThrow(refusal("LAST_OWNER", undefined, { code: Code.FAILED_PRECONDITION }));
    else check();
  },
);
