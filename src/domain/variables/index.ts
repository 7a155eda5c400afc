export { type ResolvedComponent, resolveComponent } from "./resolve-component.ts";
export { type ResolvedText, resolveText } from "./resolve-text.ts";
export { createScope, type PageObject, type Scope, type ScopeParts } from "./scope.ts";
