export {
  composeFilter,
  type DroppedClause,
  type FilterParts,
  isSet,
  SessionClauses,
} from "./compose.ts";
export { flattenDocument, KqlDocument, type Leaf } from "./document.ts";
export { findRequiredTexts, readEqualities, readEqualityFilter } from "./equality-filter.ts";
export {
  type ClockReading,
  type Instant,
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
  KqlValue,
} from "./node.ts";
export { countNodes, listClauses, NOWHERE } from "./node.ts";
export { checkKqlSize, parseKql, parseKqlTemplate, parseStoredKql } from "./parser.ts";
export { matchesPattern } from "./pattern.ts";
export { printKql } from "./print.ts";
export { rewriteKqlValues } from "./rewrite-values.ts";
export { KQL_LIMITS } from "./syntax-error.ts";
export { KqlTemplate, listPlaceholders, type PlaceholderLookup, readOwnPath } from "./template.ts";
export {
  compareCodePoints,
  type Equality,
  isScalar,
  listClockReadings,
  parseDecimal,
  parseEquality,
  parseRangeBound,
  readsNow,
  type Scalar,
  toText,
} from "./values.ts";
