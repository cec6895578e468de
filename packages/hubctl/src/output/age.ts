const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** The age of a time in its largest unit: `5d`. Future times have a sign: `+2h`. */
export function ageOf(time: string | number, now = Date.now()): string {
  const distance = now - new Date(time).getTime()
  const span = Math.abs(distance)
  const [unit, length] = UNITS.find(([, size]) => span >= size) ?? UNITS.at(-1)!
  const count = `${Math.floor(span / length)}${unit}`
  return distance < -1_000 ? `+${count}` : count
}
