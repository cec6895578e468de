import type { Value } from '#adopt/transfer'

/** A size in bytes. The source stores an unknown size as a negative number. */
export const sizeOrNone = (size: Value | undefined): Value =>
  typeof size === 'string' && !size.startsWith('-') ? size : null
