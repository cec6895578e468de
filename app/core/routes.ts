import { commonRoutes } from '#http/common_routes'
import type { Surface } from '#http/surface'

const core: Surface = {
  name: 'core',
  title: 'Core',
  summary: 'Projects, nodes, analyses, approvals and credentials',
  routes(routes) {
    commonRoutes(routes, core)
  },
}

export default core
