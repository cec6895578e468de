import router from '@adonisjs/core/services/router'

import { matchAnyCase } from '#http/any_case'

matchAnyCase(router)
