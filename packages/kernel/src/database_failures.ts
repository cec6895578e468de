import pg from 'pg'

import {
  BadRequest,
  EntityConflict,
  RelationInvalid,
  ServiceUnavailable,
  StorageInsufficient,
  type Failure,
} from './failures.js'
import { issue } from './issues.js'

type Translation = (error: pg.DatabaseError) => Failure

const BY_STATE: Record<string, Translation> = {
  '23505': (error) => EntityConflict.duplicateKeys([violatedKey(error)], error),
  '23503': (error) =>
    stillReferenced(error)
      ? new EntityConflict('Other records still refer to this one', { cause: error })
      : new RelationInvalid('The body names a record that does not exist', { cause: error }),
  '23502': (error) => invalid(error, 'required', 'is required'),
  '22P02': (error) => invalid(error, 'value_invalid', 'has a value of the wrong form'),
  '22003': (error) => invalid(error, 'value_invalid', 'is out of range'),
  '22021': (error) => invalid(error, 'value_invalid', 'holds a character that cannot be stored'),
  '22P05': (error) => invalid(error, 'value_invalid', 'holds a character that cannot be stored'),
  '22001': (error) => invalid(error, 'max_length', 'is too long'),
  '57014': (error) =>
    new ServiceUnavailable('The query took too long: request fewer records at a time', {
      cause: error,
    }),
  '53100': (error) => new StorageInsufficient({ cause: error }),
  '40P01': serializationFailure,
  '40001': serializationFailure,
}

/** Among them: the server has become a standby, or read-only. */
const UNAVAILABLE_STATES = /^(08|25006|53[234]|57P0)/
const UNAVAILABLE_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'E_PRIMARY_MOVED',
  'E_SESSION_READ_ONLY',
])
const UNAVAILABLE_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** The failure for an error of the database or its connection; undefined for any other error. */
export function databaseFailure(error: unknown): Failure | undefined {
  if (error instanceof pg.DatabaseError) {
    const state = error.code ?? ''
    if (UNAVAILABLE_STATES.test(state)) {
      return new ServiceUnavailable(undefined, { cause: error })
    }
    return BY_STATE[state]?.(error)
  }
  return isConnectionFailure(error)
    ? new ServiceUnavailable(undefined, { cause: error })
    : undefined
}

/**
 * Whether the database aborted the transaction because of a deadlock or a serialization failure: a retry may succeed.
 */
export function isSerializationFailure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && BY_STATE[error.code ?? ''] === serializationFailure
}

function serializationFailure(error: pg.DatabaseError): Failure {
  return new ServiceUnavailable('The record is being changed concurrently; try again shortly', {
    cause: error,
  })
}

function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false
  }
  return (
    UNAVAILABLE_ERRORS.has((error as NodeJS.ErrnoException).code ?? '') ||
    UNAVAILABLE_MESSAGES.test(error.message)
  )
}

function stillReferenced(error: pg.DatabaseError): boolean {
  return /still referenced/.test(error.detail ?? '')
}

function invalid(error: pg.DatabaseError, code: string, problem: string): Failure {
  const attribute = error.column && camelCase(error.column)
  if (!attribute) {
    return new BadRequest('The database rejected a value', { cause: error })
  }
  return BadRequest.attribute(issue(code, [attribute], `${attribute} ${problem}`), error)
}

/** The attributes of the unique key that PostgreSQL reports. It reports only the first one that is violated. */
function violatedKey({ detail = '' }: pg.DatabaseError): string[] {
  const [, columns = ''] = /\((.+?)\)=\(/.exec(detail) ?? []
  return columns
    .split(', ')
    .map((column) => camelCase(column.replace(/^\w+\(+|::.*$|[()"]/g, '')))
    .filter((attribute) => attribute !== '')
}

function camelCase(column: string): string {
  return column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
