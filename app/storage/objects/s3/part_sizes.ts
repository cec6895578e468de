/** Limits of S3: an upload has at most so many parts, and all but the last have at least so many bytes. */
export const MAX_PARTS = 10_000
export const MIN_PART_BYTES = 5 * 1024 ** 2

const DEFAULT_PART_BYTES = 8 * 1024 ** 2

/**
 * The first parts may be sent before they are full when memory is short; those that follow have room for the largest object
 * S3 takes, 5 TiB, all by themselves.
 */
export const EARLY_PARTS = 1_000

const MAX_OBJECT_BYTES = 5 * 1024 ** 4
const GROWTH = 1.000_68

/**
 * How large a part should be. Where the size of the upload is known, all parts are alike. Where it is not, they grow after the
 * first 8 GiB: to 70 MiB after 100 GiB, and 5 TiB fit.
 */
export function partSize(number: number, expectedBytes?: number): number {
  if (expectedBytes === undefined) {
    return Math.ceil(DEFAULT_PART_BYTES * GROWTH ** Math.max(0, number - EARLY_PARTS))
  }
  const even = Math.ceil(Math.min(expectedBytes, MAX_OBJECT_BYTES) / (MAX_PARTS - EARLY_PARTS))
  return Math.max(DEFAULT_PART_BYTES, even)
}
