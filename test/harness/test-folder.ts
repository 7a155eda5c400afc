import { afterAll, onTestFinished } from "vitest";
import { createFolder } from "./folder.ts";
import { makeFolder, type ServiceFolder } from "./service-process.ts";

/** Creates a folder that is removed after the test that runs; returns its path. */
export function createTestFolder(): string {
  const { path, remove } = createFolder();
  onTestFinished(remove);
  return path;
}

/** Creates a folder for the tests of one file, and removes it after them; returns its path. */
export function createFileFolder(): string {
  const { path, remove } = createFolder();
  afterAll(remove);
  return path;
}

/** Makes a folder with a database for the tests of one file, and removes it after them. */
export function useServiceFolder(options?: { readonly empty: boolean }): ServiceFolder {
  const folder = makeFolder(options);
  afterAll(folder.remove);
  return folder;
}

/** Makes a folder with a database that is removed after the test that runs. */
export function createServiceFolder(options?: { readonly empty: boolean }): ServiceFolder {
  const folder = makeFolder(options);
  onTestFinished(folder.remove);
  return folder;
}
