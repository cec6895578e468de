/** The code of analyses as storage has it: in this process, or at its address. */
export interface StoredCode {
  /** Which of these files are not what was stored, or gone. Rejects with `ServiceUnavailable` while that cannot be told. */
  damaged(bucketFileIds: readonly string[]): Promise<readonly string[]>
}

/** Where there is no storage, there is nothing to compare. */
export const NO_STORAGE: StoredCode = { damaged: async () => [] }
