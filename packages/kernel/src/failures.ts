import { issue, type Issue, type IssueItem } from './issues.js'

interface FailureOptions {
  issues?: readonly Issue[]
  headers?: Record<string, string>
  cause?: unknown
}

/**
 * An error response. Whatever throws it decides status, code and issues; `failureOf` translates any other error into
 * one.
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

  /** Whether the server is at fault, not the request. */
  get isFault(): boolean {
    return this.status >= 500
  }

  /** Additional fields of the response, for protocols that define their own error format. */
  get extraFields(): Record<string, unknown> {
    return {}
  }
}

/** The request is invalid: its body, its query, or a business rule without an error code of its own. */
export class BadRequest extends Failure {
  constructor(message: string, options?: FailureOptions) {
    super(400, 'bad_request', message, options)
  }

  /**
   * One attribute of the body is invalid. The message includes the reason, since most clients show only the message.
   */
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

/** The caller is not authenticated, or the token is invalid. */
export class Unauthorized extends Failure {
  constructor(message = 'A valid access token is required: send it as a bearer token') {
    super(401, 'identity_unauthorized', message, {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    })
  }
}

/** The caller is authenticated but lacks a permission. */
export class PermissionDenied extends Failure {
  constructor(message: string, options?: FailureOptions) {
    super(403, 'permission_denied', message, options)
  }

  /** One issue for each permission that the caller lacks. */
  static missing(names: readonly string[]): PermissionDenied {
    return PermissionDenied.#lacking(names, ' and ')
  }

  /** One issue for each permission of which one would do. */
  static missingAny(names: readonly string[]): PermissionDenied {
    return PermissionDenied.#lacking(names, ' or ')
  }

  static #lacking(names: readonly string[], separator: string): PermissionDenied {
    const issues = names.map((name) =>
      issue('permission_not_found', [name], `The permission ${name} is missing`)
    )
    return new PermissionDenied(`This requires ${names.join(separator)}`, { issues })
  }
}

/** The record does not exist. `kind` is its kind in kebab case. */
export class EntityNotFound extends Failure {
  constructor(kind: string) {
    super(404, 'entity_not_found', `The ${kind} was not found`)
  }
}

/** No route matches the method and path. */
export class RouteNotFound extends Failure {
  constructor(method: string) {
    super(404, 'entity_not_found', `No route matches this ${method} request`)
  }
}

/** The path exists, but not with this method; the message says why. */
export class MethodNotAllowed extends Failure {
  constructor(message: string, allowed: readonly string[]) {
    super(405, 'method_not_allowed', message, { headers: { allow: allowed.join(', ') } })
  }
}

/** The record already exists, or is referenced by another one. */
export class EntityConflict extends Failure {
  constructor(message: string, options?: FailureOptions) {
    super(409, 'entity_conflict', message, options)
  }

  /** One issue for each unique key, given by its attributes, that another record already has. */
  static duplicateKeys(keys: readonly (readonly string[])[], cause?: unknown): EntityConflict {
    const issues = keys.map((key) => {
      const what = key.length > 0 ? `this ${key.join(' and ')}` : 'these values'
      return issue('value_exists', key, `A record with ${what} already exists`)
    })
    const message =
      issues.length === 1 ? issues[0]!.message : 'A record with these values already exists'
    return new EntityConflict(message, { issues, cause })
  }
}

/**
 * The client did not send the announced body in time. The connection is closed, since the rest of the body would
 * precede any other request.
 */
export class RequestTimeout extends Failure {
  constructor(message = 'The body did not arrive in time; send it again') {
    super(408, 'request_timeout', message, { headers: { connection: 'close' } })
  }
}

/** The body exceeds the limit of the route. */
export class PayloadTooLarge extends Failure {
  constructor(message = 'The body is too large', options?: FailureOptions) {
    super(413, 'payload_too_large', message, options)
  }
}

/** The content encoding of the body is not supported. */
export class EncodingUnsupported extends Failure {
  constructor(options?: FailureOptions) {
    super(
      415,
      'media_type_unsupported',
      'The content encoding is not supported: send the body uncompressed or as gzip, deflate or br',
      options
    )
  }
}

/** The caller exceeded its requests per minute, or another limit of its own that the message names. */
export class RateLimited extends Failure {
  constructor(
    retryAfterSeconds: number,
    message = `Too many requests; try again in ${retryAfterSeconds} seconds`
  ) {
    super(429, 'rate_limited', message, {
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  }
}

/** The identity provider is unavailable. */
export class IdentityUnavailable extends Failure {
  constructor(
    message = 'The identity provider is unavailable; try again shortly',
    options?: FailureOptions
  ) {
    super(503, 'identity_unavailable', message, { headers: { 'retry-after': '5' }, ...options })
  }
}

/** A dependency of the service is temporarily unavailable. */
export class ServiceUnavailable extends Failure {
  constructor(
    message = 'The service is temporarily unavailable; try again shortly',
    options?: FailureOptions
  ) {
    super(503, 'service_unavailable', message, { headers: { 'retry-after': '5' }, ...options })
  }
}

/** There is no space left to store the content. */
export class StorageInsufficient extends Failure {
  constructor(options?: FailureOptions) {
    super(507, 'storage_insufficient', 'There is not enough space left to store this', options)
  }
}

/** An unexpected error. Its cause is logged with the request id and never sent to the client. */
export class InternalFailure extends Failure {
  constructor(cause: unknown) {
    super(500, 'internal_error', 'Internal error; find it in the log by the request id', {
      cause,
    })
  }
}

/** The body of every error response. */
export function envelopeOf({ status, code, message, issues, extraFields }: Failure) {
  return { statusCode: status, code, message, issues, ...extraFields }
}
