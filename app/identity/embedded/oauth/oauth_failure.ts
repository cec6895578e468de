import { Failure } from '#kernel/failures'
import type { Issue } from '#kernel/issues'

interface OAuthFailureOptions {
  readonly issues?: readonly Issue[]
  readonly headers?: Record<string, string>
  readonly cause?: unknown
}

/**
 * A failure with an OAuth error code. The response is the envelope of the platform with `error` and `error_description`
 * beside it.
 */
export class OAuthFailure extends Failure {
  constructor(
    status: number,
    code: string,
    readonly error: string,
    message: string,
    options?: OAuthFailureOptions
  ) {
    super(status, code, message, options)
  }

  override get extraFields() {
    return { error: this.error, error_description: this.message }
  }
}

/** A parameter is missing, repeated or invalid. */
export class InvalidRequest extends OAuthFailure {
  constructor(message: string, options?: OAuthFailureOptions) {
    super(400, 'invalid_request', 'invalid_request', message, options)
  }
}

export class InvalidCredentials extends OAuthFailure {
  constructor() {
    super(
      400,
      'invalid_credentials',
      'invalid_grant',
      'The user credentials are invalid. Users are looked for in the realm master unless realm_name names another one.'
    )
  }
}

export class InvalidClient extends OAuthFailure {
  constructor() {
    super(401, 'invalid_client', 'invalid_client', 'Client authentication failed.')
  }
}

/** A code or refresh token is invalid or expired. */
export class InvalidGrant extends OAuthFailure {
  constructor(message: string) {
    super(400, 'invalid_grant', 'invalid_grant', message)
  }

  static refreshToken(): InvalidGrant {
    return new InvalidGrant(
      'The JWT is invalid: it is not a refresh token, has ended or was used before.'
    )
  }

  static code(): InvalidGrant {
    return new InvalidGrant(
      'The authorization code is not valid for this request: it has ended, was used or belongs to another one.'
    )
  }
}

export class UnauthorizedClient extends OAuthFailure {
  constructor() {
    super(
      400,
      'unauthorized_client',
      'unauthorized_client',
      'The client is not registered for this kind of grant.'
    )
  }
}

export class UnsupportedGrant extends OAuthFailure {
  constructor() {
    super(
      400,
      'unsupported_token_grant_type',
      'unsupported_grant_type',
      'This grant type is not offered; the discovery document lists those that are.'
    )
  }
}
