import type { ComponentProps } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { AppContext } from "./app.ts";
import { keepForm, readForm } from "./kept-texts.ts";
import { keyOfAccount } from "./session.ts";
import { onSubmit, readTexts, type Texts } from "./submit.ts";

/** A form of a few inputs, whose texts survive a reload and a lost session until they are sent. */
export function ShortForm({
  name,
  onSend,
  ...attributes
}: Pick<ComponentProps<"form">, "class" | "aria-label" | "children"> & {
  /** No other form of the project has it. */
  name: string;
  /** Reports whether the texts were accepted. Then the inputs are emptied for the next entry, and the choices stay. */
  onSend: (texts: Texts) => Promise<boolean>;
}) {
  // A person without a project has no view yet.
  const { account = {}, project } = useContext(AppContext) ?? {};
  const key = [keyOfAccount(account), project?.id, name].join("/");
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    for (const [name, text] of Object.entries(readForm<Texts>(key) ?? {})) {
      const input = form.current?.elements.namedItem(name) as HTMLInputElement;
      input.value = text;
      input.dispatchEvent(new Event("change"));
    }
  }, []);
  const send = onSubmit(async (sent) => {
    if (!(await onSend(sent))) return;
    keepForm(key, undefined);
    for (const input of form.current?.querySelectorAll("input") ?? []) {
      // A text that was typed since then is the next entry.
      if (input.value === sent[input.name]) input.value = "";
    }
  });
  return (
    <form
      ref={form}
      {...attributes}
      onInput={({ currentTarget }) => keepForm(key, readTexts(currentTarget))}
      onSubmit={send}
    />
  );
}
