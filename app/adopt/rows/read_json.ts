import { isEmptyValue } from './empty_value.js'
import { readChoice } from './read_choice.js'
import { UnreadableValue } from './unreadable_value.js'

/**
 * How a text column is read as JSON: `arguments` of a command, any `document`, data that a client `sent`, or an
 * optional `note`. The former platform stored sent texts as they are and other values as JSON.
 */
export type JsonForm = 'arguments' | 'document' | 'sent' | 'note'

/** The JSON to store, unchanged if it is valid. Null if it is empty. */
export function readJson(form: JsonForm, text: string): string | null | UnreadableValue {
  switch (form) {
    case 'sent':
      return parsed(text) === undefined ? JSON.stringify(text) : text
    case 'note':
      return isEmptyValue(text) ? null : readJson('sent', text)
    case 'document':
      return readDocument(text)
    case 'arguments':
      return readArguments(text)
  }
}

function readDocument(text: string): string | null | UnreadableValue {
  const json = unquoted(text)
  if (isEmptyValue(json)) {
    return null
  }
  return parsed(json) === undefined ? new UnreadableValue('is not valid JSON') : json
}

function readArguments(text: string): string | null | UnreadableValue {
  const json = readDocument(text)
  if (typeof json !== 'string') {
    return json
  }
  const list = parsed(json)
  const read = Array.isArray(list) ? list.map(readArgument) : []
  if (!Array.isArray(list) || read.includes(undefined)) {
    return new UnreadableValue('is not a list of arguments')
  }
  return read.every((argument, at) => argument === list[at]) ? json : JSON.stringify(read)
}

interface Argument {
  readonly value: string
  readonly position?: string | null
}

const POSITIONS = new Set(['before', 'after'])

/** Normalizes an argument. Returns it unchanged if valid, and undefined if its meaning is unclear. */
function readArgument(item: unknown): Argument | undefined {
  const { value, position } = (isObject(item) ? item : { value: item }) as Partial<Argument>
  if (typeof value !== 'string' && typeof value !== 'number') {
    return undefined
  }
  const given = readChoice(POSITIONS, String(position))
  if (given instanceof UnreadableValue) {
    return undefined
  }
  const isAsItIs = isObject(item) && typeof value === 'string' && (position ?? null) === given
  return isAsItIs
    ? (item as Argument)
    : { value: String(value), ...(given !== null && { position: given }) }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Decodes JSON that was encoded repeatedly. Other texts stay as they are. */
function unquoted(text: string): string {
  const value = parsed(text)
  if (typeof value !== 'string') {
    return text
  }
  const inner = unquoted(value)
  return isEmptyValue(inner) || typeof parsed(inner) === 'object' ? inner : text
}

/** Undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
