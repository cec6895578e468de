import { createHash } from 'node:crypto'

/** The id of a record of the fixture. */
export function idOf(kind: string, number: number): string {
  const digits = createHash('md5').update(`${kind}${number}`).digest('hex')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
