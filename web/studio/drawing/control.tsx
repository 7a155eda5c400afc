import type { JsonObject } from "@bufbuild/protobuf";
import { isObject } from "../../../src/domain/base/json.ts";
import { Select } from "../select.tsx";
import { TextChoice } from "../text-choice.tsx";
import { useDrawing } from "./drawing.ts";
import { Note, Text } from "./parts.tsx";
import { pick } from "./text.ts";

/** A control of a filter. It sets a value of the session, as on a site. */
export function Control({ control }: { control: JsonObject }) {
  const { language, session, setSession } = useDrawing();
  const key = String(control.url_param ?? control.urlParam ?? "");
  const label = pick(control.label, language) || key;
  const value = session[key];
  const choose = (chosen: string) => setSession(key, chosen === "" ? undefined : chosen);
  const options = (Array.isArray(control.options) ? control.options : []).map((it) => {
    if (!isObject(it)) return [String(it), String(it)] as const;
    const option = String(it.value ?? it.id ?? "");
    return [option, pick(it.label ?? it.title, language) || option] as const;
  });
  if (options.length > 0 && control.kind === "chips") {
    return (
      <fieldset class="chips">
        <legend>
          <Text of={label} />
        </legend>
        {options.map(([option, name]) => (
          <button
            key={option}
            type="button"
            aria-pressed={option === value}
            onClick={() => choose(option === value ? "" : option)}
          >
            {name}
          </button>
        ))}
      </fieldset>
    );
  }
  if (options.length > 0) {
    return (
      <label>
        <span>{label}</span>
        <Select
          value={typeof value === "string" ? value : ""}
          options={[["", "–"], ...options]}
          onChoose={choose}
        />
      </label>
    );
  }
  if (typeof control.kind === "string" && control.kind.startsWith("search")) {
    const text = typeof value === "string" ? value : "";
    return <TextChoice label={label} value={text} onChoose={choose} />;
  }
  return (
    <Note>
      {label}: set “{key}” under More.
    </Note>
  );
}
