import { expect } from "vitest";
import { checkOwnerRemains } from "../../../src/domain/access/binding.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import { openCases } from "../../harness/cases.ts";
import { rejection } from "../../harness/rejection.ts";

const each = openCases("access/binding");

each<[readonly string[], readonly string[], boolean]>(
  "an organization keeps an owner",
  (owners, leaving, isRejected) => {
    const check = () =>
      checkOwnerRemains("o", owners, (it) => (leaving as readonly string[]).includes(it));
    if (isRejected)
      expect(check).toThrow(rejection("LAST_OWNER", undefined, { code: Code.FAILED_PRECONDITION }));
    else check();
  },
);
