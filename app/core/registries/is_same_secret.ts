import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether what was sent is what was expected; how much of it is cannot be told from the time this takes. */
export const isSameSecret = (sent: Buffer, expected: string): boolean =>
  timingSafeEqual(digest(sent), digest(expected))

const digest = (value: Buffer | string) => createHash('sha256').update(value).digest()
