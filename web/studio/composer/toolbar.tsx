import type { JsonObject } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { ActButton, type Acts } from "../acts.tsx";
import { createId } from "../api.ts";
import { useApp } from "../app.ts";
import { COMPONENT, permissionOf, titleOf } from "../kinds.ts";
import { VisibilityMark } from "../marks.tsx";
import { type Access, useAccess } from "../resource.ts";
import { linkTo, linkToChoices } from "../router.ts";
import { type Choices, printChoices } from "./choices.tsx";
import { copyPage } from "./copy.ts";

/** The title of a page, with what can be done with it as a whole. */
export function Toolbar({
  page,
  access,
  choices,
  acts,
}: {
  page: JsonObject;
  access: Access;
  choices: Choices;
  acts: Acts;
}) {
  const { route, permissions } = useApp();
  const { kind, release } = access;
  const components = useAccess(COMPONENT);
  const creates = [access, components].map(({ methods }) => permissionOf(methods.create));
  const [copyId] = useState(createId);
  const copy = () =>
    acts.run(async () => {
      await copyPage(page, copyId);
      acts.open(linkTo(route, kind.section, copyId, { form: "settings" }));
    }, "Copied. Give the page a slug and a title, then publish it.");
  const previewed = { page: String(page.slug), ...printChoices(choices) };
  return (
    <div class="heading">
      <div>
        <a class="note" href={linkTo(route, kind.section)}>
          {kind.words[1]}
        </a>
        <h1>{titleOf(page)}</h1>
      </div>
      <VisibilityMark of={page} />
      <a class="end" href={linkTo(route, "preview", "", previewed)}>
        Preview
      </a>
      {/* Records are always current. */}
      {release === "" && (
        <ActButton
          permission={creates.find((it) => !permissions.has(it)) ?? "cms.records.write"}
          disabled={acts.isBusy}
          onClick={copy}
        >
          Copy the page
        </ActButton>
      )}
      <a class="button" href={linkToChoices(route, { form: "settings", component: "" })}>
        Settings of the page
      </a>
    </div>
  );
}
