import fc from 'fast-check'

/** Between these lie halves of characters, which no text consists of. */
const HALVES = { from: 0xd800, to: 0xe000 }
const HALF_COUNT = HALVES.to - HALVES.from

/** What fast-check calls "binary", without the table of a million characters that it makes in each process. */
const character = fc.integer({ min: 0, max: 0x10_ffff - HALF_COUNT }).map(
  (place) => String.fromCodePoint(place < HALVES.from ? place : place + HALF_COUNT),
  (text) => placeOf(text)
)

/** Text of any characters at all. */
export const anyText = (constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: character })

/** What is not one character leads to an error, as fast-check expects it. */
function placeOf(text: unknown): number {
  const code = typeof text === 'string' ? text.codePointAt(0) : undefined
  if (code === undefined || String.fromCodePoint(code) !== text) {
    throw new TypeError('Not one character')
  }
  return code < HALVES.from ? code : code - HALF_COUNT
}
