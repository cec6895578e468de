import { errors as vineErrors } from '@vinejs/vine'

import { databaseFailure } from '#kernel/database_failures'
import { BadRequest, Failure, InternalFailure } from '#kernel/failures'
import { bodyFailure } from '#kernel/body_issues'
import { droppedKeysHeader } from '#query/dropped_keys'
import { QueryError } from '#query/errors'

/** Statuses of foreign errors that are passed on, with the code of each. */
const CODE_BY_STATUS: Record<number, string> = {
  401: 'identity_unauthorized',
  403: 'permission_denied',
  404: 'entity_not_found',
  406: 'not_acceptable',
  408: 'request_timeout',
  409: 'entity_conflict',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'media_type_unsupported',
  416: 'range_unsatisfiable',
  429: 'rate_limited',
  503: 'service_unavailable',
  507: 'storage_insufficient',
}

/** Converts any error into the failure to respond with. Unknown errors become a 500 whose cause is only logged. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) {
    return error
  }
  if (error instanceof vineErrors.E_VALIDATION_ERROR) {
    return bodyFailure(error)
  }
  if (error instanceof QueryError) {
    return queryFailure(error)
  }
  return databaseFailure(error) ?? requestFailure(error) ?? new InternalFailure(error)
}

function queryFailure(error: QueryError): BadRequest {
  const dropped = droppedKeysHeader(error.dropped)
  return new BadRequest(error.message, {
    issues: error.issues,
    headers: dropped === '' ? {} : { 'x-dropped-keys': dropped },
    cause: error,
  })
}

function requestFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) {
    return undefined
  }
  const { status } = error as Error & { status?: number }
  if (status === undefined || status < 400 || status >= 500) {
    return undefined
  }
  const known = CODE_BY_STATUS[status]
  return known
    ? new Failure(status, known, error.message, { cause: error })
    : new BadRequest('The request could not be parsed', { cause: error })
}
