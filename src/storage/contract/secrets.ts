/** Secrets of the installation, shared by all of its processes. */
export interface SecretStore {
  /** Returns the secret with a name, created by `create` if missing; concurrent callers all get the same. */
  getOrCreate(name: string, create: () => Uint8Array): Promise<Uint8Array>;
}
