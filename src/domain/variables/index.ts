export { createScope, type PageObject, type Scope, type ScopeParts } from "./scope.ts";
export { type ResolvedText, resolveText } from "./text-template.ts";
