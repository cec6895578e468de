import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares secrets in constant time. */
export const isSameSecret = (sent: Buffer, expected: string): boolean =>
  timingSafeEqual(digest(sent), digest(expected))

const digest = (value: Buffer | string) => createHash('sha256').update(value).digest()
