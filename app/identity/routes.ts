import { commonRoutes } from '#http/common_routes'
import type { Surface } from '#http/surface'

const identity: Surface = {
  name: 'identity',
  title: 'Identity',
  summary: 'Realms, users, clients and their tokens',
  routes(routes) {
    commonRoutes(routes, identity)
  },
}

export default identity
