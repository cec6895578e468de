import type { ColumnType } from '#query/declaration'
import type { Literal } from '#query/scalar'
import { readTimestamp } from './timestamp.js'

/** A value in the form the database takes it, and the type it is sent as. */
export interface Operand {
  readonly value: string | boolean
  readonly type: 'text' | 'uuid' | 'boolean' | 'bigint' | 'numeric' | 'timestamptz'
}

/**
 * Reads a client's value as one of a column's type. Nothing is returned for a value no row can have,
 * so that it matches nothing instead of upsetting the database.
 */
export function operandOf(type: ColumnType, literal: Literal): Operand | undefined {
  switch (type) {
    case 'text':
      return textOf(literal)
    case 'uuid':
      return UUID.test(literal.text) ? { value: literal.text, type: 'uuid' } : undefined
    case 'boolean':
      return booleanOf(literal)
    case 'integer':
    case 'bigint':
      return integerOf(literal) ?? numberOf(literal)
    case 'number':
      return numberOf(literal)
    case 'timestamp': {
      const value = readTimestamp(literal.text)
      return value === undefined ? undefined : { value, type: 'timestamptz' }
    }
    default:
      return undefined
  }
}

/** As `operandOf`, for operators that ask for the same value and not for an order. */
export function equalOperandOf(type: ColumnType, literal: Literal): Operand | undefined {
  return type === 'integer' || type === 'bigint' ? integerOf(literal) : operandOf(type, literal)
}

const UUID = /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32})$/i
const PLAIN_INTEGER = /^[+-]?\d{1,20}$/
const PLAIN_NUMBER = /^[+-]?\d{1,60}(?:\.\d{1,60})?$/
const LOWEST = -(2n ** 63n)
const HIGHEST = 2n ** 63n - 1n

/** The database cannot hold a zero byte in a text. */
function textOf({ text }: Literal): Operand | undefined {
  return text.includes('\0') ? undefined : { value: text, type: 'text' }
}

function integerOf({ value, text }: Literal): Operand | undefined {
  if (typeof value !== 'number') {
    return undefined
  }
  if (PLAIN_INTEGER.test(text)) {
    const exact = BigInt(text.replace('+', ''))
    return exact < LOWEST || exact > HIGHEST ? undefined : { value: String(exact), type: 'bigint' }
  }
  return Number.isSafeInteger(value) ? { value: String(value), type: 'bigint' } : undefined
}

/** The spelling is kept where it says more digits than a number can hold. */
function numberOf({ value, text }: Literal): Operand | undefined {
  if (typeof value !== 'number') {
    return undefined
  }
  return { value: PLAIN_NUMBER.test(text) ? text : String(value), type: 'numeric' }
}

const TRUE_WORDS = /^(?:t|tr|tru|true|y|ye|yes|on|1)$/i
const FALSE_WORDS = /^(?:f|fa|fal|fals|false|n|no|of|off|0)$/i

function booleanOf({ value, text }: Literal): Operand | undefined {
  if (typeof value === 'boolean') {
    return { value, type: 'boolean' }
  }
  if (value === 1 || TRUE_WORDS.test(text)) {
    return { value: true, type: 'boolean' }
  }
  if (value === 0 || FALSE_WORDS.test(text)) {
    return { value: false, type: 'boolean' }
  }
  return undefined
}
