export { type ResolvedComponent, resolveComponent } from "./resolve-component.ts";
export { createScope, type PageObject, type Scope, type ScopeParts } from "./scope.ts";
export { type ResolvedText, resolveText } from "./text-template.ts";
