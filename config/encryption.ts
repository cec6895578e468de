import { defineConfig, drivers } from '@adonisjs/core/encryption'

import { applicationKeys } from '#configuration/application_key'
import { env } from '#start/env'

export default defineConfig({
  default: 'gcm',
  list: { gcm: drivers.aes256gcm({ id: 'hub', keys: applicationKeys(env) }) },
})
