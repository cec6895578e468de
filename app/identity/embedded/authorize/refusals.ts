/** A request that leads nowhere: the user in front of the browser has to be told there. */
export class UnusableLink extends Error {
  static unknownClient(): UnusableLink {
    return new UnusableLink(
      'The application that sent you here is not registered, or not any more.'
    )
  }

  static foreignAddress(): UnusableLink {
    return new UnusableLink(
      'The application that sent you here wants the answer at an address that is not registered for it.'
    )
  }
}

export interface Refusal {
  readonly error: string
  readonly description: string
  readonly state: string | undefined
}

/** A refusal that the client is told, at its registered address. */
export class RequestRefused extends Error {
  constructor(
    readonly redirectUri: string,
    readonly refusal: Refusal,
    readonly issuer: string
  ) {
    super(refusal.description)
  }
}
