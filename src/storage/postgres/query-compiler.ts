import {
  type BinaryOperationNode,
  OperatorNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
} from "kysely";

/** Longer lists are bound as one array: a statement has at most 65,535 parameters. */
const LONGEST_LIST = 1_000;

/** Compiles `in` with lists that PostgreSQL refuses: an empty one, and one of too many values. */
export class ListQueryCompiler extends PostgresQueryCompiler {
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
