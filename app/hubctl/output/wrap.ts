/** Long texts go on in the next line, below where they begin. */
export function wrapped(text: string, room: number, indent: number): string {
  const size = Math.max(room, 20)
  const lines = text.match(new RegExp(`.{1,${size}}(\\s|$)|.{1,${size}}`, 'gu')) ?? [text]
  return lines.map((line) => line.trimEnd()).join(`\n${' '.repeat(indent)}`)
}

/** A sentence behind what has that length already: as wide as a terminal, and whole for what reads from a pipe. */
export function sentence(text: string, stream: NodeJS.WriteStream, before = 0): string {
  return stream.isTTY ? wrapped(text, (stream.columns ?? 80) - before, before) : text
}
