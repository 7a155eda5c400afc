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

/** A text of several lines, or a filter or another text with a syntax, whose errors point at a column. */
export function Lines(props: ControlProps) {
  const { field, value, onChange } = props;
  const text = typeof value === "string" ? value : "";
  const syntax = field.schema["x-text"];
  return (
    <textarea
      {...inputOf(props)}
      class={syntax && "code"}
      rows={Math.max(syntax ? 2 : 4, text.split("\n").length)}
      value={text}
      spellcheck={syntax === undefined}
      placeholder={syntax?.startsWith("KQL") ? "content_type: match" : undefined}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}
