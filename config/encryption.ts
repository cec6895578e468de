import { defineConfig, drivers } from '@adonisjs/core/encryption'

import { applicationKey } from '#configuration/application_key'
import { env } from '#start/env'

export default defineConfig({
  default: 'gcm',
  list: { gcm: drivers.aes256gcm({ id: 'hub', keys: [await applicationKey(env)] }) },
})
