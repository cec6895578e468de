/**
 * A message that cannot be understood, now or later; it goes to the dead letters without another attempt.
 */
export class MalformedMessage extends Error {
  static readonly code = 'E_MESSAGE_MALFORMED'
  readonly code = MalformedMessage.code
}

/**
 * The bus cannot take a message now. The sender keeps it and hands it in again.
 */
export class BusUnavailable extends Error {
  static readonly code = 'E_BUS_AWAY'
  static readonly status = 503
  readonly code = BusUnavailable.code
  readonly status = BusUnavailable.status

  constructor(reason: string, options?: ErrorOptions) {
    super(`The message bus does not take messages now: ${reason}`, options)
  }
}

/**
 * A message was put down before it was handled; the bus delivers it again.
 */
export class DeliveryAbandoned extends Error {
  static readonly code = 'E_DELIVERY_ABANDONED'
  readonly code = DeliveryAbandoned.code

  constructor() {
    super('The message was not handled; the bus delivers it again')
  }
}

/**
 * No further attempt is made: the last one failed, or none can help.
 */
export class AttemptsExhausted extends Error {
  static readonly code = 'E_MESSAGE_GIVEN_UP'
  readonly code = AttemptsExhausted.code

  constructor(
    reason: string,
    readonly attempts: number,
    options?: ErrorOptions
  ) {
    super(reason, options)
  }
}
