import { commonRoutes } from '#openapi/common_routes'
import type { Surface } from '#http/surface'

const telemetry: Surface = {
  name: 'telemetry',
  title: 'Telemetry',
  summary: 'Audit events and logs',
  routes(routes) {
    commonRoutes(routes, telemetry)
  },
}

export default telemetry
