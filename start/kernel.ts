import router from '@adonisjs/core/services/router'
import server from '@adonisjs/core/services/server'

import { matchAnyCase } from '#http/any_case'

server.errorHandler(() => import('#http/exception_handler'))
server.use([
  () => import('#http/request_middleware'),
  () => import('@adonisjs/cors/cors_middleware'),
  () => import('#http/authentication_middleware'),
  () => import('#http/limit_middleware'),
])

matchAnyCase(router)
