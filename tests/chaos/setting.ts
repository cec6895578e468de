/**
 * A whole number from the environment. A slip of the pen must not become a run of no rounds.
 */
export function setting(name: string, fallback: number): number {
  const given = process.env[name]
  const value = given === undefined ? fallback : Number(given)
  if (!Number.isSafeInteger(value) || value <= 0) {
    throw new RangeError(`${name} has to be a whole number above 0, and is "${given}"`)
  }
  return value
}
