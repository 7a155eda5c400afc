import type { ControlProps } from "./form.tsx";

/** A line of text. A URL of an image is shown with the picture. */
export function Line({ field, id, value, onChange, isDisabled }: ControlProps) {
  const text = typeof value === "string" ? value : "";
  const isPicture = field.name.endsWith("image_url") && /^https?:/.test(text);
  return (
    <div class="line">
      <input
        id={id}
        value={text}
        disabled={isDisabled}
        spellcheck={!field.name.endsWith("url")}
        autocomplete="off"
        onInput={(event) => onChange(event.currentTarget.value || undefined)}
      />
      {isPicture && <img class="picture" src={text} alt="" loading="lazy" />}
    </div>
  );
}

/** A text of several lines. */
export function Long({ id, value, onChange, isDisabled }: ControlProps) {
  return (
    <textarea
      id={id}
      rows={4}
      value={typeof value === "string" ? value : ""}
      disabled={isDisabled}
      onInput={(event) => onChange(event.currentTarget.value || undefined)}
    />
  );
}

/** A filter or another text with a syntax. */
export function Code({ field, id, value, onChange, isDisabled }: ControlProps) {
  return (
    <textarea
      id={id}
      class="code"
      rows={2}
      value={typeof value === "string" ? value : ""}
      disabled={isDisabled}
      spellcheck={false}
      placeholder={field.schema["x-text"]}
      onInput={(event) => onChange(event.currentTarget.value || undefined)}
    />
  );
}

/** A whole number. 64-bit numbers are texts in JSON. */
export function Integer({ field, id, value, onChange, isDisabled }: ControlProps) {
  const isText = field.schema.format === "int64";
  return (
    <input
      id={id}
      type="number"
      step={1}
      value={value === undefined ? "" : String(value)}
      disabled={isDisabled}
      onInput={({ currentTarget: { value: text } }) => {
        if (text === "") onChange(undefined);
        else onChange(isText ? text : Number(text));
      }}
    />
  );
}
