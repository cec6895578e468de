/** Limits of S3: the number of parts, and the minimum size of all but the last. */
export const MAX_PARTS = 10_000
export const MIN_PART_BYTES = 5 * 1024 ** 2

const DEFAULT_PART_BYTES = 8 * 1024 ** 2

/** The number of parts that may be sent early; the remaining ones can carry the largest object of S3, 5 TiB. */
export const EARLY_PARTS = 1_000

const MAX_OBJECT_BYTES = 5 * 1024 ** 4
const GROWTH = 1.000_68

/**
 * The size of a part. All parts are equal if the total is known. Otherwise they grow after the first 8 GiB, up to
 * 70 MiB after 100 GiB, so that 5 TiB fit.
 */
export function partSize(number: number, expectedBytes?: number): number {
  if (expectedBytes === undefined) {
    return Math.ceil(DEFAULT_PART_BYTES * GROWTH ** Math.max(0, number - EARLY_PARTS))
  }
  const even = Math.ceil(Math.min(expectedBytes, MAX_OBJECT_BYTES) / (MAX_PARTS - EARLY_PARTS))
  return Math.max(DEFAULT_PART_BYTES, even)
}
