const USUAL = 80
const NARROWEST = 20

/** Characters per line: `COLUMNS`, else the width of the terminal; unlimited without a terminal. */
export function widthOf(stream: NodeJS.WriteStream): number {
  if (!stream.isTTY) {
    return Infinity
  }
  const wanted = Number(process.env.COLUMNS)
  const columns = Number.isSafeInteger(wanted) && wanted > 0 ? wanted : stream.columns || USUAL
  return Math.max(columns, NARROWEST)
}
