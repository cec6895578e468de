export type Scalar = string | number | boolean | null

/** A parsed value and its source text: `007` is 7, and still `007`. */
export interface Literal {
  readonly value: Scalar
  readonly text: string
}

/** Parses an untyped value as null, boolean, number or text. */
export function coerce(text: string): Literal {
  const trimmed = text.trim()
  return { value: scalarOf(trimmed), text: trimmed }
}

/** A literal text. */
export function verbatim(text: string): Literal {
  return { value: text, text }
}

const WORDS = new Map<string, Scalar>([
  ['true', true],
  ['false', false],
  ['null', null],
])
const LONGEST_WORD = 5

function scalarOf(text: string): Scalar {
  if (text.length <= LONGEST_WORD) {
    const word = WORDS.get(text.toLowerCase())
    if (word !== undefined) {
      return word
    }
  }
  const number = text === '' ? Number.NaN : Number(text)
  return Number.isNaN(number) ? text : number
}
