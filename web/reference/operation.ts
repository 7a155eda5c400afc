import {
  type Document,
  methodOf,
  type Operation,
  type Parameter,
  type Schema,
} from "../openapi.ts";
import { type Credentials, type ExampleIds, fillExample } from "./credentials.ts";
import { h, labelled } from "./element.ts";
import { drawProse, drawWords } from "./prose.ts";
import { credentialOf, isDelivery, makeRequest, printCurl, type Request } from "./request.ts";
import { drawFields } from "./schema.ts";

/** Draws an operation: a line with its name, which opens its description and the form that sends its example. */
export function drawOperation(
  operation: Operation,
  document: Document,
  readCredentials: () => Credentials,
): HTMLDetailsElement {
  const { operationId, verb, summary, path, deprecated } = operation;
  const details = h(
    "details",
    { id: operationId, className: "operation" },
    h(
      "summary",
      {},
      h("span", { className: `verb ${verb}` }, verb),
      h("b", { className: deprecated ? "deprecated" : "" }, methodOf(operation)),
      h("span", { className: "type" }, ...drawWords(summary)),
      h("code", {}, path),
    ),
  );
  let form: OperationForm | undefined;
  details.addEventListener("toggle", () => {
    if (!details.open) return;
    if (form === undefined) {
      form = new OperationForm(operation, readCredentials);
      const [about] = splitErrors(operation.description);
      details.append(drawProse(about), form.element, ...drawDescriptions(operation, document));
    }
    form.fill();
  });
  return details;
}

function drawDescriptions(operation: Operation, document: Document): HTMLElement[] {
  const { parameters, requestBody, responses } = operation;
  const message =
    parameters.find(({ content }) => content !== undefined)?.content ?? requestBody?.content;
  const { "200": success, ...errors } = responses;
  const [, reasons] = splitErrors(operation.description);
  const fold = (title: string, draw: () => HTMLElement) => {
    const details = h("details", {}, h("summary", {}, title));
    details.addEventListener("toggle", () => details.append(draw()), { once: true });
    return details;
  };
  const fields = (title: string, schema: Schema | undefined) =>
    schema === undefined ? [] : [fold(title, () => drawFields(schema, document))];
  return [
    ...fields("Request fields", message?.["application/json"].schema),
    ...fields("Response fields", success?.content?.["application/json"].schema),
    fold("Errors", () =>
      h(
        "ul",
        { className: "fields" },
        h("li", {}, drawProse(reasons)),
        ...Object.entries(errors).map(([status, { description }]) =>
          h("li", {}, h("code", {}, status), drawProse(description)),
        ),
      ),
    ),
  ];
}

/** Splits the comment of a method into its description and its list of reasons. */
function splitErrors(comment: string): [string, string] {
  const blocks = comment.split("\n\n");
  const isErrors = (it: string) => it.startsWith("Errors by reason:");
  return [blocks.filter((it) => !isErrors(it)).join("\n\n"), blocks.find(isErrors) ?? ""];
}

/** A control with an example, which follows the credentials until the user changes it. */
interface ExampleField {
  readonly control: HTMLInputElement | HTMLTextAreaElement;
  print(ids: ExampleIds): string;
  printed: string;
}

/** The form of an operation. */
class OperationForm {
  readonly element: HTMLFormElement;
  readonly #operation: Operation;
  readonly #readCredentials: () => Credentials;
  readonly #fields: ExampleField[] = [];
  readonly #inputs = new Map<Parameter, ExampleField["control"]>();
  readonly #body: HTMLTextAreaElement | undefined;
  readonly #curl = h("pre", { tabIndex: 0 });
  readonly #output = h("div", { className: "output", role: "status" });

  constructor(operation: Operation, readCredentials: () => Credentials) {
    this.#operation = operation;
    this.#readCredentials = readCredentials;
    const { parameters, requestBody, operationId } = operation;
    const isCommon = (it: Parameter) => it.required === true || it.example !== undefined;
    const visible = parameters.filter(({ schema }) => schema?.const === undefined);
    const common = visible.filter(isCommon).map((it) => this.#drawParameter(it));
    const others = visible.filter((it) => !isCommon(it)).map((it) => this.#drawParameter(it));
    const content = requestBody?.content["application/json"];
    if (content !== undefined) {
      this.#body = this.#drawJson(`${operationId}-body`, content.example);
      common.push(labelled("Body", this.#body));
    }
    this.element = h(
      "form",
      { className: "request", "aria-label": methodOf(operation) },
      ...common,
      others.length === 0
        ? undefined
        : h("details", {}, h("summary", {}, "Optional parameters"), ...others),
      h("button", { type: "submit" }, "Send"),
      h("details", {}, h("summary", {}, "As curl"), this.#curl),
      this.#output,
    );
    this.element.addEventListener("input", () => this.#showCurl());
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#send();
    });
  }

  /** Fills the controls that the user has not changed with the examples for the current credentials. */
  fill(): void {
    const ids = this.#readCredentials();
    for (const field of this.#fields) {
      const isUnchanged = field.control.value === field.printed;
      field.printed = field.print(ids);
      if (isUnchanged) field.control.value = field.printed;
    }
    this.#showCurl();
  }

  #drawParameter(parameter: Parameter): HTMLElement {
    const { name, description = "", required, content } = parameter;
    const id = `${this.#operation.operationId}-${name}`;
    const control = content
      ? this.#drawJson(id, content["application/json"].example)
      : h("input", { id, required, autocomplete: "off", spellcheck: false });
    this.#inputs.set(parameter, control);
    if (content === undefined) {
      const print = (ids: ExampleIds) => String(fillExample(parameter.example, ids) ?? "");
      this.#fields.push({ control, print, printed: "" });
    }
    const field = labelled(required ? `${name} *` : name, control);
    field.append(drawProse(description));
    return field;
  }

  #drawJson(id: string, example: unknown): HTMLTextAreaElement {
    const print = (ids: ExampleIds) => JSON.stringify(fillExample(example, ids), undefined, 2);
    const rows = Math.min(JSON.stringify(example, undefined, 2).split("\n").length + 1, 20);
    const control = h("textarea", { id, rows, spellcheck: false });
    this.#fields.push({ control, print, printed: "" });
    return control;
  }

  #makeRequest(): Request {
    const values = new Map<Parameter, string>();
    for (const parameter of this.#operation.parameters) {
      const constant = parameter.schema?.const;
      const text = constant ?? this.#inputs.get(parameter)?.value ?? "";
      values.set(parameter, parameter.content ? format(String(text)) : String(text));
    }
    return makeRequest(this.#operation, values, format(this.#body?.value ?? ""));
  }

  #showCurl(): void {
    this.#curl.textContent = printCurl(this.#operation, this.#makeRequest());
  }

  async #send(): Promise<void> {
    const credential = credentialOf(this.#operation, this.#readCredentials());
    if (credential === "") {
      const needed = isDelivery(this.#operation) ? "a project key" : "an access token";
      const link = h("a", { href: "#start" }, `Enter ${needed}`);
      this.#output.replaceChildren(h("p", {}, link, " first."));
      return;
    }
    const { verb, url, headers, body } = this.#makeRequest();
    const start = performance.now();
    try {
      const response = await fetch(url, {
        method: verb,
        headers: { ...headers, authorization: `Bearer ${credential}` },
        cache: "no-store",
        ...(body !== undefined && { body }),
      });
      const text = await response.text();
      const milliseconds = Math.round(performance.now() - start);
      this.#output.replaceChildren(
        h(
          "p",
          { className: response.ok ? "good" : "bad" },
          h("b", {}, String(response.status)),
          `, ${milliseconds} ms, ${text.length.toLocaleString("en")} characters`,
        ),
        h("pre", { tabIndex: 0, "aria-label": "Response" }, format(text, 2)),
      );
    } catch (cause) {
      this.#output.replaceChildren(h("p", { className: "bad" }, `No response: ${cause}`));
    }
  }
}

/** Formats JSON on one line, or indented; returns other text unchanged, for the server to reject. */
function format(text: string, indent?: number): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, indent);
  } catch {
    return text;
  }
}
