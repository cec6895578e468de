import { commonRoutes } from '#http/common_routes'
import type { Surface } from '#http/surface'

const storage: Surface = {
  name: 'storage',
  title: 'Storage',
  summary: 'Buckets and the files in them',
  routes(routes) {
    commonRoutes(routes, storage)
  },
}

export default storage
