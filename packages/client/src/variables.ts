export {
  type ResolvedComponent,
  resolveComponent,
} from "../../../src/domain/pages/rendering/resolve-component.ts";
export * from "../../../src/domain/variables/index.ts";
