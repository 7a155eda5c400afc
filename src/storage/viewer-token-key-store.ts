/** A key pair of viewer tokens, as far as everybody may know it. */
export interface ViewerTokenKey {
  /** The `kid` of its tokens. */
  readonly id: string;
  readonly publicKey: Uint8Array;
  readonly createTime: Date;
  /** When another key took its place; absent: it signs. */
  readonly retireTime?: Date;
}

/** A key pair that can sign. */
export interface NewViewerTokenKey {
  readonly id: string;
  readonly publicKey: Uint8Array;
  readonly privateKey: Uint8Array;
  readonly createTime: Date;
}

/** All keys of an installation, from one snapshot. */
export interface ViewerTokenKeys {
  /** The one that signs, if there is one yet. */
  readonly signing?: NewViewerTokenKey;
  /** Those that signed before, the last one first. Their private keys are gone. */
  readonly retired: readonly ViewerTokenKey[];
}

/** How keys are replaced. */
export interface Rotation {
  readonly key: NewViewerTokenKey;
  /** The time of the rotation. */
  readonly now: Date;
  /** Keys that were retired before this time are dropped. */
  readonly dropBefore: Date;
}

/** The keys of viewer tokens: one signs, in all processes of the installation. */
export interface ViewerTokenKeyStore {
  /** Gets all keys. */
  get(): Promise<ViewerTokenKeys>;
  /**
   * Keeps a first key, unless one signs already; whoever is first, everybody gets the same. `create`
   * gets the private key of a release that kept a single one among the secrets; that secret goes.
   */
  begin(create: (earlier: Uint8Array | undefined) => NewViewerTokenKey): Promise<void>;
  /** Puts a key in the place of the one that signs, which is retired and loses its private key. */
  rotate(rotation: Rotation): Promise<void>;
}
