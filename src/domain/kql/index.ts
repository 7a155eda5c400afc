export {
  type ComposedFilter,
  composeFilter,
  type DroppedClause,
  type DroppedClauseReason,
  type FilterParts,
  isSet,
  SessionClauses,
} from "./compose.ts";

export { type RequiredEquality, readEqualities } from "./equalities.ts";
export { readEqualityFilter } from "./equality-only.ts";
export { type Element, type FlatDocument, flattenDocument, type Leaf } from "./flatten.ts";
export {
  type ClockReading,
  type Instant,
  isNowExpression,
  parseInstant,
  parseInstantBound,
} from "./instant.ts";
export { KQL_LIMITS, type KqlLimit } from "./limits.ts";
export {
  createFlatTest,
  createKqlSteps,
  createKqlTest,
  type FlatKqlTest,
  KqlDocument,
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
export { countNodes } from "./node.ts";
export { readOwnPath } from "./own-path.ts";
export { checkKqlSize, parseKql, parseKqlTemplate, parseStoredKql } from "./parser.ts";
export { createPatternTest, matchesPattern, type PatternTest } from "./pattern.ts";
export { listPlaceholders } from "./placeholders.ts";
export { printKql } from "./print.ts";
export { listClockReadings, readsNow } from "./reads-now.ts";
export { rewriteKqlValues } from "./rewrite-values.ts";
export { type KqlSubstitution, substituteKql } from "./substitute.ts";
export { KqlTemplate, type KqlTextSubstitution, substituteKqlText } from "./substitute-text.ts";
export type {
  FailedPlaceholder,
  PlaceholderFault,
  PlaceholderLookup,
} from "./template-values.ts";
export {
  compareCodePoints,
  type Equality,
  isScalar,
  parseDecimal,
  parseEquality,
  parseRangeBound,
  type RangeBound,
  type Scalar,
  toText,
} from "./values.ts";
