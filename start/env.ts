import { existsSync } from 'node:fs'

import { catalogue } from '#configuration/hub_catalogue'
import { readConfiguration } from '#configuration/read_configuration'

/** Tests ignore `.env`, so that local settings do not affect them. */
if (process.env.NODE_ENV !== 'test' && existsSync('.env')) {
  process.loadEnvFile('.env')
}

/** `env` is the configuration of this process; `warnings` are shown at each start. */
export const {
  values: env,
  warnings,
  secretsInEnvironment,
} = readConfiguration(catalogue, process.env)
