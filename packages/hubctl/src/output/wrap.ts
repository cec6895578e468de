import { widthOf } from './width.js'

const NARROWEST = 20

/** Wraps a text; continuation lines are indented. */
export function wrapText(text: string, available: number, indent: number): string {
  if (available === Infinity) {
    return text
  }
  const size = Math.max(available, NARROWEST)
  const lines = text.match(new RegExp(`.{1,${size}}(\\s|$)|.{1,${size}}`, 'gu')) ?? [text]
  return lines.map((line) => line.trimEnd()).join(`\n${' '.repeat(indent)}`)
}

/** Wraps a text to the width of a stream, after a prefix of the given length. */
export function wrapForStream(text: string, stream: NodeJS.WriteStream, offset = 0): string {
  return wrapText(text, widthOf(stream) - offset, offset)
}
