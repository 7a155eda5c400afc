export {
  applySession,
  type SessionOutcome,
  type SessionSettings,
} from "../../../src/domain/pages/additional-filters.ts";
