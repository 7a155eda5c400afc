import { type ESTree, parseSync, Visitor } from "vite";
import type { Page } from "./pages.ts";

/** Two words in a row: not a name, a path or a media type. */
const SENTENCE = /[a-z]{2,}[,:;]? [a-z]/;

/** SQL, HTML and CSS. */
const CODE =
  /\{\s+[a-z-]+: [^}]*;|\b(select|insert into|delete from|(alter|create|drop) \w+)\b|^.\s*(update \w|<)/;

/**
 * Returns the prose of a TypeScript file: its comments, and its strings of more than one word. Code becomes blanks, so
 * that lines keep their numbers; `|` begins and ends each comment and string.
 */
export function readProse(path: string, text: string): Page {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const prose = blank(text).split("");
  for (const { start, end } of comments) write(start, withoutMarks(text.slice(start, end)));
  for (const it of listStrings(program)) {
    const string = blankValues(it, text);
    if (SENTENCE.test(string) && !CODE.test(string)) write(it.start, withoutEscapes(string));
  }
  return { path, text: prose.join("") };

  function write(start: number, piece: string): void {
    for (const [index, letter] of blankSpans(piece).split("").entries())
      prose[start + index] = letter;
  }
}

type StringNode = ESTree.StringLiteral | ESTree.TemplateLiteral;

/** Lists the strings and templates of a program; SQL is a template with a tag. */
function listStrings(program: ESTree.Program): StringNode[] {
  const strings: StringNode[] = [];
  const tagged = new Set<ESTree.TemplateLiteral>();
  new Visitor({
    Literal: (it) => {
      if (typeof it.value === "string") strings.push(it as ESTree.StringLiteral);
    },
    TaggedTemplateExpression: ({ quasi }) => {
      tagged.add(quasi);
    },
    TemplateLiteral: (it) => {
      if (!tagged.has(it)) strings.push(it);
    },
  }).visit(program);
  return strings;
}

/** Returns the source of a string; a value in a template is one word. */
function blankValues(node: StringNode, text: string): string {
  const source = text.slice(node.start, node.end);
  if (node.type === "Literal") return source;
  return node.expressions.reduce((piece, { start, end }) => {
    const [from, to] = [start - node.start, end - node.start];
    return `${piece.slice(0, from)}X${blank(piece.slice(from + 1, to))}${piece.slice(to)}`;
  }, source);
}

const withoutEscapes = (string: string) =>
  `|${string
    .slice(1, -1)
    .replace(/\\n/g, " |")
    .replace(/\n /g, "\n|")
    .replace(/\\(?=.)|\$\{|\}/gs, blank)}|`;

/** A line comment can continue on the next line; an indented one is a grammar. */
const withoutMarks = (comment: string) =>
  comment
    .replace(/^\/\*(.*)\*\/$/s, "| $1 |")
    .replace(/^\/\/ {3}.*|(?<=^\| )\*|^\s*\* ?|^\/\//gm, blank);

/** Blanks code spans; a single backtick is a letter. */
const blankSpans = (piece: string) =>
  piece.replace(/`[^`]*`/g, (span) => span.replace(/[^\n]/g, "X")).replaceAll("`", " ");

const blank = (text: string) => text.replace(/[^\n]/g, " ");
