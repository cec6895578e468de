import { commonRoutes } from '#openapi/common_routes'
import type { Surface } from '#http/surface'

const messenger: Surface = {
  name: 'messenger',
  title: 'Messenger',
  summary: 'Sealed messages between identities',
  routes(routes) {
    commonRoutes(routes, messenger)
  },
}

export default messenger
