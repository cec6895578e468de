import { existsSync } from 'node:fs'

import type { Catalogue } from '#configuration/catalogue'
import { warningRules } from '#configuration/warning_rules'
import { productionRules } from '#configuration/production'
import { readConfiguration } from '#configuration/read_configuration'
import { consistencyRules } from '#configuration/consistency_rules'
import { groups, type Env } from '#configuration/variables'

export type { Env }

/** Every variable, and what must hold between them. */
export const catalogue: Catalogue<typeof groups> = {
  groups,
  rules: [...consistencyRules, ...productionRules],
  warningRules,
}

/** Tests ignore `.env`, so that local settings do not affect them. */
if (process.env.NODE_ENV !== 'test' && existsSync('.env')) {
  process.loadEnvFile('.env')
}

/** `env` is the configuration of this process; `warnings` are shown at each start. */
export const { values: env, warnings } = readConfiguration(catalogue, process.env)
