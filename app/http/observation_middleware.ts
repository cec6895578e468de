import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { ClientActivity } from './client_activity.js'
import { Observation } from './observation.js'
import { tracing } from '#tracing/tracing'

/** Records metrics, a log line, a trace span and the activity of the client for each request. */
@inject()
export default class ObservationMiddleware {
  readonly #activity: ClientActivity

  constructor(activity: ClientActivity) {
    this.#activity = activity
  }

  handle(ctx: HttpContext, next: () => Promise<void>): Promise<void> {
    const span = tracing?.startRequest?.(ctx)
    const observation = new Observation(ctx, span)
    ctx.observation = observation
    this.#activity.begin(observation)
    endOnClose(observation, ctx.response.response, this.#activity)
    return span ? span.run(next) : next()
  }
}

/** Only references the connection, not the request. */
function endOnClose(
  observation: Observation,
  connection: HttpContext['response']['response'],
  activity: ClientActivity
): void {
  connection.on('close', () => {
    activity.end(observation)
    observation.end(connection.statusCode)
  })
}
