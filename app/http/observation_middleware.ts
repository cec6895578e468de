import type { HttpContext } from '@adonisjs/core/http'

import { Observation } from './observation.js'
import { tracing } from '#tracing/tracing'

/** Records metrics, a log line and a trace span for each request. */
export default class ObservationMiddleware {
  handle(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    const span = tracing?.startRequest?.(ctx)
    const observation = new Observation(ctx, span)
    ctx.observation = observation
    endOnClose(observation, ctx.response.response)
    return span ? span.run(next) : next()
  }
}

/** Only references the connection, not the request. */
function endOnClose(
  observation: Observation,
  connection: HttpContext['response']['response']
): void {
  connection.on('close', () => observation.end(connection.statusCode))
}
