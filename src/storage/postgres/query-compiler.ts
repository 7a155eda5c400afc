import {
  type BinaryOperationNode,
  type CompiledQuery,
  OperatorNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  type QueryId,
  type RootOperationNode,
} from "kysely";
import { type EngineCompiler, isSlot } from "../db/query.ts";

/** Longer lists are bound as one array: a statement has at most 65,535 parameters. */
const LONGEST_LIST = 1_000;

/**
 * Compiles a slot as one parameter wherever it occurs, and lists in `in` that PostgreSQL rejects: an empty one, and
 * one of too many values.
 */
class MarqueeQueryCompiler extends PostgresQueryCompiler implements EngineCompiler {
  /** The parameters of slots, by their names. */
  readonly #slots = new Map<string, string>();

  placeholderOf(index: number): string {
    return `$${index}`;
  }

  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    this.#slots.clear();
    return super.compileQuery(node, queryId);
  }

  protected override appendValue(value: unknown): void {
    const known = isSlot(value) ? this.#slots.get(value.slot) : undefined;
    if (known !== undefined) {
      this.append(known);
      return;
    }
    super.appendValue(value);
    if (isSlot(value)) this.#slots.set(value.slot, this.getCurrentParameterPlaceholder());
  }

  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, operator, rightOperand } = node;
    if (!PrimitiveValueListNode.is(rightOperand) || !OperatorNode.is(operator)) {
      super.visitBinaryOperation(node);
      return;
    }
    const { values } = rightOperand;
    const isNot = operator.operator === "not in";
    if (values.length === 0) {
      this.append(isNot ? "1 = 1" : "1 = 0");
    } else if (values.length > LONGEST_LIST) {
      this.visitNode(leftOperand);
      this.append(isNot ? " <> all(" : " = any(");
      this.appendValue(values);
      this.append(")");
    } else {
      super.visitBinaryOperation(node);
    }
  }
}

/** Compiles queries for PostgreSQL. */
export const POSTGRES_COMPILER = new MarqueeQueryCompiler();
