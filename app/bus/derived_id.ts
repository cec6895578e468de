import { hash } from 'node:crypto'

import type { Message } from './message.js'

const VARIANTS = '89ab'

/**
 * A deterministic id for what a command creates, so that repeated deliveries create it once: a UUID version 8 derived
 * from queue and message id.
 */
export function derivedId(queue: string, { id }: Pick<Message, 'id'>): string {
  const digest = hash('sha256', `${queue}/${id}`)
  const variant = VARIANTS[Number.parseInt(digest[16]!, 16) % 4]
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-')
}
