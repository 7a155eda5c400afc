import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { CallExpression, LineAndCharacter, Node, SourceFile } from "typescript/unstable/ast";
import {
  isCallExpression,
  isMethodDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
} from "typescript/unstable/ast/is";
import {
  API,
  type Checker,
  isTypeReference,
  type Project,
  SymbolFlags,
  type Type,
} from "typescript/unstable/sync";

const ROOT = join(import.meta.dirname, "../../..");

/** The methods of a `Tx` that run a query. */
export const QUERY_METHODS = ["all", "run"] as const;

/** A call of one of them. */
const CALL = /\.\s*(all|run)\b/;

/** The results of Kysely's writes that return no rows. */
const NO_ROWS = ["DeleteResult", "InsertResult", "UpdateResult"];

/** A call in the source that runs a query. */
export interface QueryCall {
  /** The file, and line and column of the method's name, as in a stack trace. */
  readonly place: string;
  /** The columns that its row type requires; absent: none. */
  readonly columns?: readonly string[];
}

/** Finds every call in `src` that runs a query, except calls that pass on a query of their caller. */
export function findQueryCalls(): readonly QueryCall[] {
  const config = join(ROOT, "tsconfig.build.json");
  const api = new API({ cwd: ROOT });
  try {
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`${config} is no project`);
    const files = project.program.getSourceFileNames().filter(mayCall);
    const db = findDb(project);
    return files.flatMap((name) => findCallsIn(name, db, project));
  } finally {
    api.close();
  }
}

/** Reports whether a file of the source has calls that look like queries. */
function mayCall(name: string): boolean {
  return name.startsWith(join(ROOT, "src/")) && CALL.test(readFileSync(name, "utf8"));
}

function findCallsIn(name: string, db: Type, { program, checker }: Project): QueryCall[] {
  const file = program.getSourceFile(name);
  const calls = file === undefined ? [] : listCalls(file);
  const receivers = checker.getTypeAtLocation(calls.map(({ receiver }) => receiver));
  const ofDb = calls.filter((_, index) => {
    const type = receivers[index];
    return type !== undefined && checker.isTypeAssignableTo(type, db);
  });
  const results = checker.getTypeAtLocation(ofDb.map(({ call }) => call));
  return ofDb.map(({ place: { line, character } }, index) => {
    const columns = listColumns(checker, results[index]);
    const place = `${relative(ROOT, name)}:${line + 1}:${character + 1}`;
    return { place, ...(columns && { columns }) };
  });
}

function findDb({ program, checker }: Project): Type {
  const file = program.getSourceFile(join(ROOT, "src/storage/db/db.ts"));
  const module = file && checker.getSymbolAtLocation(file);
  const db = module && checker.getMemberInModuleExports(module, "Db");
  if (db === undefined) throw new Error("there is no Db");
  return checker.getDeclaredTypeOfSymbol(db);
}

/** Lists the calls of methods that are named as those of a `Db`. */
function listCalls(file: SourceFile) {
  const calls: { call: CallExpression; receiver: Node; place: LineAndCharacter }[] = [];
  const visit = (node: Node): void => {
    const { name } = isMethodDeclaration(node) || isPropertyAssignment(node) ? node : {};
    if (name !== undefined && isQueryMethod(name.getText(file))) return;
    if (isCallExpression(node) && isPropertyAccessExpression(node.expression)) {
      const { expression: receiver, name: method } = node.expression;
      const place = file.getLineAndCharacterOfPosition(method.getStart(file));
      if (isQueryMethod(method.text)) calls.push({ call: node, receiver, place });
    }
    node.forEachChild(visit);
  };
  visit(file);
  return calls;
}

function isQueryMethod(name: string): boolean {
  return (QUERY_METHODS as readonly string[]).includes(name);
}

/** Lists the columns that the row type in the promise of a call requires; undefined if there are none. */
function listColumns(checker: Checker, promise: Type | undefined): readonly string[] | undefined {
  const [rows] = promise && isTypeReference(promise) ? checker.getTypeArguments(promise) : [];
  const isList = rows && checker.isArrayType(rows) && isTypeReference(rows);
  const [row] = isList ? checker.getTypeArguments(rows) : [];
  if (row === undefined || NO_ROWS.includes(row.getSymbol()?.name ?? "")) return undefined;
  const columns = checker.getPropertiesOfType(checker.getApparentType(row) ?? row);
  const required = columns.filter(({ flags }) => (flags & SymbolFlags.Optional) === 0);
  return required.length > 0 ? required.map(({ name }) => name) : undefined;
}
