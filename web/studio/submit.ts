/** Handles a form that is sent: `act` gets the texts of its inputs by their names. */
export function onSubmit(
  act: (texts: Readonly<Record<string, string>>, form: HTMLFormElement) => unknown,
) {
  return (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    const form = event.currentTarget;
    act(Object.fromEntries(new FormData(form)) as Record<string, string>, form);
  };
}

/** Empties the inputs of a form for the next entry. Its choices stay. */
export function clearTexts(form: HTMLFormElement): void {
  for (const input of form.querySelectorAll("input")) input.value = "";
}
