import router from '@adonisjs/core/services/router'
import server from '@adonisjs/core/services/server'

import { matchAnyCase } from '#http/any_case'

server.errorHandler(() => import('#http/exception_handler'))

/** Every request passes these in their order, before it is known whether there is a route for it. */
server.use([
  () => import('#http/headers_middleware'),
  () => import('#http/observation_middleware'),
  () => import('#http/cors_middleware'),
  () => import('#auth/authentication_middleware'),
  () => import('#http/limit_middleware'),
])

/** Requests that have a route pass these. What a route asks of its caller, and its body, it declares itself. */
router.use([])

matchAnyCase(router)
