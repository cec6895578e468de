import type { Origin } from '#kernel/origin'

/** What is about to be deleted from a locked bucket, or with it. */
export type LockedRemoval = { readonly file: string } | { readonly bucket: string }

/**
 * The records of code at core. Before storage deletes code of a locked analysis, core removes its records, which it
 * refuses while the analysis is being built or distributed. Rejects with `ServiceUnavailable` while core is not
 * reachable.
 */
export abstract class CodeRecords {
  abstract remove(origin: Origin, removal: LockedRemoval): Promise<void>
}
