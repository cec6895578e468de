import type { Value } from '#adopt/transfer'

/** A number of bytes; one below zero says that it is not known. */
export const sizeOrNone = (size: Value | undefined): Value =>
  typeof size === 'string' && !size.startsWith('-') ? size : null
