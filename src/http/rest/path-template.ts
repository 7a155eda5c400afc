// The part of the grammar of google.api.http that the APIs use: without `**`, percent escapes, and fields of nested messages.
//
//   Template  = "/" Segments [ ":" Literal ] ;
//   Segments  = Segment { "/" Segment } ;
//   Segment   = "*" | Literal | Variable ;
//   Variable  = "{" Name [ "=" Segments ] "}" ;    (no variable inside a variable)
//   Name      = ( letter | "_" ) { letter | digit | "_" } ;
//   Literal   = character { character } ;
//   character = letter | digit | one of -._~!$&'()+,;=@ ;

/** One segment of a template. */
export type Segment =
  | { readonly kind: "literal"; readonly value: string }
  | { readonly kind: "any" };

/** A variable of a template and the segments that it matches, from `start` up to but excluding `end`. */
export interface TemplateVariable {
  /** The name of the request field, such as `page_component_id`. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A parsed path template. */
export interface PathTemplate {
  /** The original text, for logs and metrics. */
  readonly text: string;
  readonly segments: readonly Segment[];
  readonly variables: readonly TemplateVariable[];
  /** The text after the colon; empty if there is none. */
  readonly verb: string;
}

/** The segments and the verb of a template. */
const TEMPLATE = /^\/((?:[^:{}]|\{[^{}]*\})*)(?::(.*))?$/;

/** The end of a segment: a slash outside of braces. */
const SEGMENT_END = /\/(?![^{]*\})/;

const VARIABLE = /^\{([A-Za-z_]\w*)(?:=(.*))?\}$/;

const LITERAL = /^[\w\-.~!$&'()+,;=@]+$/;

/** Parses a path template of google.api.http. Throws an Error with the part that is not valid. */
export function parsePathTemplate(text: string): PathTemplate {
  const fail = (why: string) => new Error(`path template "${text}": ${why}`);
  const checkLiteral = (literal: string): string => {
    if (!LITERAL.test(literal)) throw fail(`"${literal}" is not a literal`);
    return literal;
  };
  const [, path, verb] = TEMPLATE.exec(text) ?? [];
  if (path === undefined) throw fail("it must be a path with balanced braces");
  const segments: Segment[] = [];
  const variables: TemplateVariable[] = [];
  for (const part of path.split(SEGMENT_END)) {
    const [, name, within = "*"] = VARIABLE.exec(part) ?? [];
    const start = segments.length;
    for (const each of name === undefined ? [part] : within.split("/")) {
      segments.push(
        each === "*" ? { kind: "any" } : { kind: "literal", value: checkLiteral(each) },
      );
    }
    if (name === undefined) continue;
    if (variables.some((variable) => variable.name === name))
      throw fail(`"${name}" is bound twice`);
    variables.push({ name, start, end: segments.length });
  }
  return { text, segments, variables, verb: verb === undefined ? "" : checkLiteral(verb) };
}
