import type { ColumnType } from '#query/declaration'
import type { Literal } from '#query/scalar'
import { readTimestamp } from './timestamp.js'

/** A value to bind, and the type it is cast to. */
export interface Operand {
  readonly value: string | boolean
  readonly type: 'text' | 'uuid' | 'boolean' | 'bigint' | 'numeric' | 'timestamptz'
}

/**
 * Converts a literal to a column's type. Undefined for a value that no row can have, so that it matches nothing instead
 * of causing an error.
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

/** Like `operandOf`, for equality. */
export function equalOperandOf(type: ColumnType, literal: Literal): Operand | undefined {
  return type === 'integer' || type === 'bigint' ? integerOf(literal) : operandOf(type, literal)
}

const UUID = /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32})$/i
const PLAIN_INTEGER = /^[+-]?\d{1,20}$/
const PLAIN_NUMBER = /^[+-]?\d{1,60}(?:\.\d{1,60})?$/
const LOWEST = -(2n ** 63n)
const HIGHEST = 2n ** 63n - 1n

/** PostgreSQL texts cannot contain a zero byte. */
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

/** Keeps the source text, which may have more digits than a number. */
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
