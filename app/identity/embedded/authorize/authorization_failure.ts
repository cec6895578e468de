import { texts } from '#http/texts'

/** An authorization request without a valid redirect address. It is shown to the user. */
export class InvalidLink extends Error {
  static unknownClient(): InvalidLink {
    return new InvalidLink(texts.get('login.unusable.client'))
  }

  static foreignAddress(): InvalidLink {
    return new InvalidLink(texts.get('login.unusable.address'))
  }
}

export interface AuthorizationError {
  readonly error: string
  readonly description: string
  readonly state: string | undefined
}

/** A failure that is sent to the client at its registered address. */
export class AuthorizationFailure extends Error {
  constructor(
    readonly redirectUri: string,
    readonly refusal: AuthorizationError,
    readonly issuer: string
  ) {
    super(refusal.description)
  }
}
