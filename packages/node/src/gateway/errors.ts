/** A request of an analysis that the gateway answers with an error status. */
export class GatewayError extends Error {
  constructor(
    readonly status: number,
    message: string
  ) {
    super(message)
  }
}
