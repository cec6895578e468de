/** The stored code of analyses, in this process or elsewhere. */
export abstract class StoredCode {
  /**
   * Which of these files are missing or corrupted. Rejects with `ServiceUnavailable` while storage is not reachable.
   */
  abstract findDamaged(bucketFileIds: readonly string[]): Promise<readonly string[]>
}

/** For an installation without storage. */
export const NO_STORAGE: StoredCode = { findDamaged: async () => [] }
