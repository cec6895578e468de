/** A request that leads nowhere: the user in front of the browser has to be told there. */
export class InvalidLink extends Error {
  static unknownClient(): InvalidLink {
    return new InvalidLink('The application that sent you here is not registered, or not any more.')
  }

  static foreignAddress(): InvalidLink {
    return new InvalidLink(
      'The application that sent you here wants the answer at an address that is not registered for it.'
    )
  }
}

export interface AuthorizationError {
  readonly error: string
  readonly description: string
  readonly state: string | undefined
}

/** A refusal that the client is told, at its registered address. */
export class AuthorizationFailure extends Error {
  constructor(
    readonly redirectUri: string,
    readonly refusal: AuthorizationError,
    readonly issuer: string
  ) {
    super(refusal.description)
  }
}
