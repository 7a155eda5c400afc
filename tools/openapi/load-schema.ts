import {
  createFileRegistry,
  type DescService,
  type FileRegistry,
  fromBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { readDescriptorSet } from "../../src/http/endpoints/documents.ts";
import { readComments } from "./comments.ts";

/** A part of an OpenAPI document. */
export type Json = { readonly [name: string]: unknown };

/** The interfaces with their comments. */
export interface Schema {
  readonly registry: FileRegistry;
  /** The services under a package, such as `svc.studio`, in the order of their names. */
  listServices(prefix: string): DescService[];
  /** Returns the comment of an element by its full name; empty if it has none. */
  commentOf(name: string): string;
}

/** Loads the schema from the descriptor set. */
export async function loadSchema(): Promise<Schema> {
  const set = fromBinary(FileDescriptorSetSchema, await readDescriptorSet());
  const registry = createFileRegistry(set);
  const comments = readComments(set.file);
  const services = [...registry.files].flatMap((file) => file.services);
  services.sort((a, b) => (a.typeName < b.typeName ? -1 : 1));
  return {
    registry,
    listServices: (prefix) => services.filter(({ typeName }) => typeName.startsWith(`${prefix}.`)),
    commentOf: (name) => comments.get(name) ?? "",
  };
}
