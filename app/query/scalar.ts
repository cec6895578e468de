export type Scalar = string | number | boolean | null

/** A value as it is understood, beside the text the client wrote: `007` is 7, and still `007`. */
export interface Literal {
  readonly value: Scalar
  readonly text: string
}

/** Reads a value that carries no type of its own: null, boolean and number are told by their look. */
export function coerce(text: string): Literal {
  const trimmed = text.trim()
  return { value: scalarOf(trimmed), text: trimmed }
}

/** A text that stands for nothing but itself. */
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
