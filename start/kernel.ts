import router from '@adonisjs/core/services/router'
import server from '@adonisjs/core/services/server'

import { matchAnyCase } from '#http/any_case'

server.errorHandler(() => import('#http/exception_handler'))
server.use([() => import('#http/entrance_middleware')])

matchAnyCase(router)
