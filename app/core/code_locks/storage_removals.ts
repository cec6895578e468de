/** What storage deletes after its record of an analysis was removed. */
export type Removable = { readonly file: string } | { readonly bucket: string }

/** Deletes at storage, which runs in this process or elsewhere, even from locked buckets. */
export abstract class StorageRemovals {
  /** Something missing counts as deleted. Rejects with `ServiceUnavailable` while storage is not reachable. */
  abstract remove(removable: Removable): Promise<void>
}

/** For an installation without storage. */
export const NO_REMOVALS: StorageRemovals = { remove: async () => {} }
