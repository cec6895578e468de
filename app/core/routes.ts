import { node } from '#core/nodes/node'
import { registry } from '#core/registries/registry'
import { registryProject } from '#core/registry_projects/registry_project'
import { commonRoutes } from '#http/common_routes'
import type { Surface } from '#http/surface'
import { recordRoutes } from '#records/record_routes'
import { lazyService } from '#records/services'

const core: Surface = {
  name: 'core',
  title: 'Core',
  summary: 'Projects, nodes, analyses, approvals and credentials',
  routes(routes) {
    commonRoutes(routes, core)
    for (const kind of [registry, registryProject, node]) {
      recordRoutes(routes, kind, lazyService('core', kind))
    }
  },
}

export default core
