import { commonRoutes } from '#openapi/common_routes'
import type { Surface } from '#http/surface'
import { recordRoutes } from '#records/record_routes'
import { event } from '#telemetry/events/event'
import { EventService } from '#telemetry/events/event_service'
import { searchRoutes } from '#telemetry/events/search_routes'
import { streamEvents } from '#telemetry/events/live/stream_events'
import { trailRoutes } from '#telemetry/trail/trail_routes'
import { logRoutes } from '#telemetry/logs/log_routes'

const telemetry: Surface = {
  name: 'telemetry',
  title: 'Telemetry',
  summary: 'Audit events and logs',
  routes(routes) {
    commonRoutes(routes, telemetry)
    trailRoutes(routes)
    searchRoutes(routes)
    recordRoutes(routes, event, EventService, { stream: streamEvents })
    logRoutes(routes)
  },
}

export default telemetry
