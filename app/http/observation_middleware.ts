import type { HttpContext } from '@adonisjs/core/http'

import { Observation } from './observation.js'
import { tracing } from '#observability/tracing'

/**
 * Counts and times each request, writes it to the log, and traces it where there is a collector.
 */
export default class ObservationMiddleware {
  handle(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    const span = tracing?.startRequest(ctx.request)
    const observation = new Observation(ctx, span)
    ctx.observation = observation
    endOnClose(observation, ctx.response.response)
    return span ? span.run(next) : next()
  }
}

/** Keeps nothing of the request but the connection. */
function endOnClose(
  observation: Observation,
  connection: HttpContext['response']['response']
): void {
  connection.on('close', () => observation.end(connection.statusCode))
}
