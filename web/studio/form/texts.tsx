import { type ControlProps, inputOf } from "./control.ts";

/** A line of text. A URL of an image is shown with the picture. */
export function Line(props: ControlProps) {
  const { field, value, onChange } = props;
  const text = typeof value === "string" ? value : "";
  const isPicture = field.name.endsWith("image_url") && /^https?:/.test(text);
  return (
    <div class="line">
      <input
        {...inputOf(props)}
        {...(field.name.endsWith("secret") && { type: "password" as const })}
        value={text}
        spellcheck={!field.name.endsWith("url")}
        autocomplete="off"
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {isPicture && <img class="picture" src={text} alt="" loading="lazy" />}
    </div>
  );
}

/** A text of several lines. */
export function Long(props: ControlProps) {
  const { value, onChange } = props;
  return (
    <textarea
      {...inputOf(props)}
      rows={4}
      value={typeof value === "string" ? value : ""}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A filter or another text with a syntax. The server's error about it points at a column. */
export function Code(props: ControlProps) {
  const { field, value, onChange } = props;
  const text = typeof value === "string" ? value : "";
  return (
    <textarea
      {...inputOf(props)}
      class="code"
      rows={Math.max(2, text.split("\n").length)}
      value={text}
      spellcheck={false}
      placeholder={field.schema["x-text"]?.startsWith("KQL") ? "content_type: match" : undefined}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}
