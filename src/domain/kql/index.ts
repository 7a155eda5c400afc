export {
  type ComposedFilter,
  composeFilter,
  type DroppedClause,
  type DroppedClauseReason,
  type FilterParts,
  isSet,
  SessionClauses,
} from "./compose.ts";
export {
  type Element,
  type FlatDocument,
  flattenDocument,
  KqlDocument,
  type Leaf,
} from "./document.ts";
export {
  findRequiredTexts,
  type RequiredEquality,
  readEqualities,
  readEqualityFilter,
} from "./equality-filter.ts";
export {
  type ClockReading,
  type Instant,
  isNowExpression,
  parseInstant,
  parseInstantBound,
} from "./instant.ts";
export {
  createKqlSteps,
  createKqlTest,
  type KqlSteps,
  type KqlTest,
  matchKql,
} from "./match.ts";
export type {
  KqlLiteralPart,
  KqlName,
  KqlNode,
  KqlRangeOperator,
  KqlSpan,
  KqlTemplateValue,
  KqlValue,
} from "./node.ts";
export { countNodes, listClauses, NOWHERE } from "./node.ts";
export { checkKqlSize, parseKql, parseKqlTemplate, parseStoredKql } from "./parser.ts";
export { createPatternTest, matchesPattern, type PatternTest } from "./pattern.ts";
export { printKql } from "./print.ts";
export { rewriteKqlValues } from "./rewrite-values.ts";
export { KQL_LIMITS, type KqlLimit } from "./syntax-error.ts";
export {
  type FailedPlaceholder,
  KqlTemplate,
  type KqlTextSubstitution,
  listPlaceholders,
  type PlaceholderError,
  type PlaceholderLookup,
  readOwnPath,
} from "./template.ts";
export {
  compareCodePoints,
  type Equality,
  isScalar,
  listClockReadings,
  parseDecimal,
  parseEquality,
  parseRangeBound,
  type RangeBound,
  readsNow,
  type Scalar,
  toText,
} from "./values.ts";
