const TYPE_OF_TEXT = 25
const NULL = -1
const HEAD_BYTES = 20

/** A `text[]` in the binary format, which copies long texts. The text format escapes and parses each character. */
export function textArray(values: readonly (string | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? NULL : Buffer.byteLength(value)))
  const size = lengths.reduce((sum, length) => sum + 4 + Math.max(0, length), HEAD_BYTES)
  const array = Buffer.allocUnsafe(size)
  const mayHoldNulls = 1
  let at = 0
  for (const number of [1, mayHoldNulls, TYPE_OF_TEXT, values.length, 1]) {
    at = array.writeInt32BE(number, at)
  }
  values.forEach((value, index) => {
    at = array.writeInt32BE(lengths[index]!, at)
    at += value === null ? 0 : array.write(value, at)
  })
  return array
}

/** An array of values that need no quotes, such as numbers and UUIDs. */
export const plainArray = (values: readonly (string | number)[]): string => `{${values.join()}}`
