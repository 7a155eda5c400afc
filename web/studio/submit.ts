/** The texts of the inputs of a form, by their names. */
export type Texts = Readonly<Record<string, string>>;

/** Reads the texts of a form. */
export function readTexts(form: HTMLFormElement): Texts {
  return Object.fromEntries(new FormData(form)) as Texts;
}

/** Handles a form that is sent: `act` gets the texts of its inputs. */
export function onSubmit(act: (texts: Texts) => unknown) {
  return (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    act(readTexts(event.currentTarget));
  };
}
