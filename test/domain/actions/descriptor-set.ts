import { create, type DescFile, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

/** Puts a file of the contract and all that it imports into a FileDescriptorSet, imports first. */
export function toDescriptorSet(file: DescFile): Uint8Array {
  const files = new Set<DescFile>();
  const visit = (it: DescFile): void => {
    for (const dependency of it.dependencies) visit(dependency);
    files.add(it);
  };
  visit(file);
  const set = create(FileDescriptorSetSchema, { file: [...files].map(({ proto }) => proto) });
  return toBinary(FileDescriptorSetSchema, set);
}
