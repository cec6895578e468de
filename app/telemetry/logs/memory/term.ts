/** A label with its value, in the form blocks are searched for. */
export interface Term {
  readonly text: string
  readonly hash: number
  readonly bytes: Buffer
}

/** No name has it: what is before it is the name, what follows the value. */
export const BETWEEN = '\0'

export const termText = (name: string, value: string): string => `${name}${BETWEEN}${value}`

export function termOf(name: string, value: string): Term {
  const text = termText(name, value)
  return { text, hash: hashOf(text), bytes: Buffer.from(text) }
}

/** FNV-1a, over the halves of characters. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}
