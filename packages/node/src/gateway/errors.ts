/** The gateway rejects a request of an analysis with this status. */
export class GatewayError extends Error {
  constructor(
    readonly status: number,
    message: string
  ) {
    super(message)
  }
}
