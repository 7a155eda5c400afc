import { contractRules } from "./rules-contract.ts";
import { specRules } from "./rules-spec.ts";

/**
 * A rule of SPEC.md or a row of CONTRACT.md with the tests that hold it. A test is written as
 * `file > part of its title`, the title as it stands in the source, the file without `.test.ts` and,
 * if it is not a path, in this folder. `open` says what is missing where no test holds the rule.
 */
export type Rule = readonly [rule: string, ...held: (string | { readonly open: string })[]];

/** Every rule, in the order of the two pages. */
export const rules: readonly Rule[] = [...specRules, ...contractRules];
