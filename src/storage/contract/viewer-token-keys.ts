/** The public part of a viewer token key. */
export interface ViewerTokenKey {
  /** The `kid` of the tokens it signs. */
  readonly id: string;
  readonly publicKey: Uint8Array;
  readonly createTime: Date;
  /** The time another key replaced it; absent for the signing key. */
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
  /** The signing key; absent until the first is created. */
  readonly signing?: NewViewerTokenKey;
  /** Earlier signing keys, most recently retired first. Their private keys are deleted. */
  readonly retired: readonly ViewerTokenKey[];
}

/** A replacement of the signing key. */
export interface Rotation {
  readonly key: NewViewerTokenKey;
  /** The time of the rotation. */
  readonly now: Date;
  /** Keys retired before this time are deleted. */
  readonly dropBefore: Date;
}

/** The keys of viewer tokens. One of them signs in all processes of the installation. */
export interface ViewerTokenKeyStore {
  /** Returns all keys. */
  get(): Promise<ViewerTokenKeys>;
  /** Stores the first signing key unless there is one already; of concurrent callers, the first wins. */
  begin(create: () => NewViewerTokenKey): Promise<void>;
  /** Replaces the signing key, which is retired and loses its private key. */
  rotate(rotation: Rotation): Promise<void>;
}
