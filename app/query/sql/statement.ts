import { createHash } from 'node:crypto'

import { LRUCache } from 'lru-cache'

/** A statement for `pg`. The name is derived from the text. */
export interface Statement {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

const CACHED_NAMES = 512
const names = new LRUCache<string, string>({ max: CACHED_NAMES })

export function statement(text: string, values: unknown[]): Statement {
  return { name: nameOf(text), text, values }
}

function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `q_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`
    names.set(text, name)
  }
  return name
}
