const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const
const STEP = 1024

/** Formats a number of bytes with a binary unit. */
export function bytes(count: number): string {
  const power = Math.min(UNITS.length - 1, count < STEP ? 0 : Math.floor(Math.log2(count) / 10))
  const size = count / STEP ** power
  return `${power === 0 ? size : size.toFixed(1)} ${UNITS[power]}`
}
