const USUAL = 80
const NARROWEST = 20

/** How many characters fit on a line: as many as the terminal has, or `COLUMNS` says; without end where what is written is read by a program. */
export function widthOf(stream: NodeJS.WriteStream): number {
  if (!stream.isTTY) {
    return Infinity
  }
  const wanted = Number(process.env.COLUMNS)
  const columns = Number.isSafeInteger(wanted) && wanted > 0 ? wanted : stream.columns || USUAL
  return Math.max(columns, NARROWEST)
}
