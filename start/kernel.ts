import router from '@adonisjs/core/services/router'
import server from '@adonisjs/core/services/server'

import { matchAnyCase } from '#http/any_case'

server.errorHandler(() => import('#http/exception_handler'))

/** Middleware of every request, before routing. */
server.use([
  () => import('#http/headers_middleware'),
  () => import('#http/observation_middleware'),
  () => import('#http/cors_middleware'),
  () => import('#auth/authentication_middleware'),
  () => import('#http/limit_middleware'),
])

/** Middleware after routing. Routes declare access and bodies themselves. */
router.use([])

matchAnyCase(router)
