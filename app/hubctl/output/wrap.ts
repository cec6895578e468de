import { widthOf } from './width.js'

const NARROWEST = 20

/** Long texts go on in the next line, below where they begin. */
export function wrapped(text: string, room: number, indent: number): string {
  if (room === Infinity) {
    return text
  }
  const size = Math.max(room, NARROWEST)
  const lines = text.match(new RegExp(`.{1,${size}}(\\s|$)|.{1,${size}}`, 'gu')) ?? [text]
  return lines.map((line) => line.trimEnd()).join(`\n${' '.repeat(indent)}`)
}

/** A sentence behind what has that length already: as wide as a terminal, and whole for what reads from a pipe. */
export function sentence(text: string, stream: NodeJS.WriteStream, before = 0): string {
  return wrapped(text, widthOf(stream) - before, before)
}
