/** A message that no retry can fix; it becomes a dead letter at once. */
export class MalformedMessage extends Error {
  static readonly code = 'E_MESSAGE_MALFORMED'
  readonly code = MalformedMessage.code
}

/** The bus cannot accept a message now. The sender retries. */
export class BusUnavailable extends Error {
  static readonly code = 'E_BUS_AWAY'
  static readonly status = 503
  readonly code = BusUnavailable.code
  readonly status = BusUnavailable.status

  constructor(reason: string, options?: ErrorOptions) {
    super(`The message bus is unavailable: ${reason}`, options)
  }
}

/** Handling was abandoned; the bus redelivers the message. */
export class DeliveryAbandoned extends Error {
  static readonly code = 'E_DELIVERY_ABANDONED'
  readonly code = DeliveryAbandoned.code

  constructor() {
    super('The message was not handled; the bus redelivers it')
  }
}

/** No further attempt is made: the last one failed, or the message is malformed. */
export class AttemptsExhausted extends Error {
  static readonly code = 'E_MESSAGE_GIVEN_UP'
  readonly code = AttemptsExhausted.code

  constructor(
    override readonly cause: unknown,
    readonly attempts: number
  ) {
    super('The message is not retried', { cause })
  }
}
