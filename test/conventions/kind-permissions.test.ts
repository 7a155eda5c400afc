import { getOption } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { access } from "../../gen/svc/options/v1/access_pb.ts";
import { KIND_NAMES, kindOf } from "../../src/domain/kinds.ts";
import { METHODS } from "./descriptors.ts";

test.each(KIND_NAMES)("the permissions of %s are named as its methods ask for them", (kind) => {
  const noun = `_${kind}`.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const names = METHODS.flatMap((method) => {
    const { rule } = getOption(method, access);
    const isOfKind = ["Create", "Get", "Update", "Delete"].some(
      (verb) => method.name === `${verb}${noun}`,
    );
    return rule.case === "permission" && isOfKind ? [rule.value.name] : [];
  });
  expect(names.length).toBeGreaterThan(0);
  const collections = names.map((name) => name.slice(0, name.lastIndexOf(".")));
  expect(new Set(collections)).toEqual(new Set([kindOf(kind).permissions]));
});
