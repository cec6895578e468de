import { widthOf } from './width.js'

const NARROWEST = 20

/** Long texts go on in the next line, below where they begin. */
export function wrapText(text: string, available: number, indent: number): string {
  if (available === Infinity) {
    return text
  }
  const size = Math.max(available, NARROWEST)
  const lines = text.match(new RegExp(`.{1,${size}}(\\s|$)|.{1,${size}}`, 'gu')) ?? [text]
  return lines.map((line) => line.trimEnd()).join(`\n${' '.repeat(indent)}`)
}

/** A sentence behind what has that length already: as wide as a terminal, and whole for what reads from a pipe. */
export function wrapForStream(text: string, stream: NodeJS.WriteStream, offset = 0): string {
  return wrapText(text, widthOf(stream) - offset, offset)
}
