import { issue, type Issue, type IssueItem } from './issues.js'

interface FailureOptions {
  issues?: readonly Issue[]
  headers?: Record<string, string>
  cause?: unknown
}

/**
 * A request that ends in an error answer. The code that throws one decides status, code and issues; everything else that is
 * thrown is translated into one by `failureOf`.
 */
export class Failure extends Error {
  readonly issues: readonly Issue[]
  readonly headers: Record<string, string>

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    options: FailureOptions = {}
  ) {
    super(message, { cause: options.cause })
    this.issues = options.issues ?? []
    this.headers = options.headers ?? {}
  }

  /** Whether something is wrong here, and not with what was asked. */
  get isFault(): boolean {
    return this.status >= 500
  }

  /** What stands beside the envelope, where a protocol has words of its own for failures. */
  get extraFields(): Record<string, unknown> {
    return {}
  }
}

/** The request itself is wrong: a body, a query, a rule of the business without a code of its own. */
export class BadRequest extends Failure {
  constructor(message: string, options?: FailureOptions) {
    super(400, 'bad_request', message, options)
  }

  /** One attribute of the body is wrong; most clients show nobody more than the message, so it holds the reason. */
  static attribute(reason: IssueItem, cause?: unknown): BadRequest {
    const message = `Property ${reason.path.join('.')} is invalid: ${reason.message}`
    return new BadRequest(message, { issues: [reason], cause })
  }
}

/** A body names a record that does not exist. */
export class RelationInvalid extends Failure {
  constructor(message: string, options?: FailureOptions) {
    super(400, 'entity_relation_invalid', message, options)
  }
}

/** The caller is not logged in, or the token was not accepted. */
export class Unauthorized extends Failure {
  constructor(message = 'A valid access token is needed: send it as a bearer token') {
    super(401, 'identity_unauthorized', message, {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
  }
}

/** The caller is known and may not do this. */
export class PermissionDenied extends Failure {
  constructor(message: string, options?: FailureOptions) {
    super(403, 'permission_denied', message, options)
  }

  /** Names each permission the caller would have needed. */
  static missing(names: readonly string[]): PermissionDenied {
    const issues = names.map((name) =>
      issue('permission_not_found', [name], `The permission ${name} is not held`)
    )
    return new PermissionDenied(`This needs ${names.join(' and ')}`, { issues })
  }
}

/** A record that is not there, named by its kind in kebab case. */
export class EntityNotFound extends Failure {
  constructor(kind: string) {
    super(404, 'entity_not_found', `The ${kind} was not found`)
  }
}

/** No route answers to this method and path. */
export class RouteNotFound extends Failure {
  constructor(method: string) {
    super(404, 'entity_not_found', `No route answers this ${method} request`)
  }
}

/** The address exists, and does not offer this method; the message says why. */
export class MethodNotAllowed extends Failure {
  constructor(message: string, allowed: readonly string[]) {
    super(405, 'method_not_allowed', message, { headers: { allow: allowed.join(', ') } })
  }
}

/** The record exists already, or is still used by another one. */
export class EntityConflict extends Failure {
  constructor(message: string, options?: FailureOptions) {
    super(409, 'entity_conflict', message, options)
  }

  /** Names each key whose values another record has already, by its attributes. */
  static duplicateKeys(keys: readonly (readonly string[])[], cause?: unknown): EntityConflict {
    const issues = keys.map((key) => {
      const what = key.length > 0 ? `this ${key.join(' and ')}` : 'these values'
      return issue('value_exists', key, `There is a record with ${what} already`)
    })
    const message =
      issues.length === 1 ? issues[0]!.message : 'A record with these values exists already'
    return new EntityConflict(message, { issues, cause })
  }
}

/** The client did not send in time what it announced. The connection has the rest of it before any other request. */
export class RequestTimeout extends Failure {
  constructor(message = 'The body did not arrive in time; send it again') {
    super(408, 'request_timeout', message, { headers: { connection: 'close' } })
  }
}

/** The body is larger than this route takes. */
export class PayloadTooLarge extends Failure {
  constructor(message = 'The body is too large', options?: FailureOptions) {
    super(413, 'payload_too_large', message, options)
  }
}

/** The body is compressed in a way that is not understood. */
export class EncodingUnsupported extends Failure {
  constructor(options?: FailureOptions) {
    super(
      415,
      'media_type_unsupported',
      'The body can be sent plain, gzip, deflate or br encoded',
      options
    )
  }
}

/** Too many requests from one caller within a minute. */
export class RateLimited extends Failure {
  constructor(retryAfterSeconds: number) {
    super(429, 'rate_limited', `Too many requests; try again in ${retryAfterSeconds} seconds`, {
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  }
}

/** The identity provider does not answer. */
export class IdentityUnavailable extends Failure {
  constructor(
    message = 'The identity provider does not answer; try again shortly',
    options?: FailureOptions
  ) {
    super(503, 'identity_unavailable', message, { headers: { 'retry-after': '5' }, ...options })
  }
}

/** Something this service depends on is away for now. */
export class ServiceUnavailable extends Failure {
  constructor(
    message = 'The service is not able to answer now; try again shortly',
    options?: FailureOptions
  ) {
    super(503, 'service_unavailable', message, { headers: { 'retry-after': '5' }, ...options })
  }
}

/** No room left to store what was sent. */
export class StorageInsufficient extends Failure {
  constructor(options?: FailureOptions) {
    super(507, 'storage_insufficient', 'There is no room left to store this', options)
  }
}

/** Something unforeseen; the cause goes to the log with the request's id, never to the client. */
export class InternalFailure extends Failure {
  constructor(cause: unknown) {
    super(500, 'internal_error', 'Something went wrong here; the request id names it in the log', {
      cause,
    })
  }
}

/**
 * The body of every error answer.
 */
export function envelopeOf({ status, code, message, issues, extraFields: beside }: Failure) {
  return { statusCode: status, code, message, issues, ...beside }
}
