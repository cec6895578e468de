import { existsSync } from 'node:fs'

import type { Catalogue } from '#configuration/catalogue'
import { cautions } from '#configuration/cautions'
import { productionRules } from '#configuration/production'
import { readConfiguration } from '#configuration/read_configuration'
import { relations } from '#configuration/relations'
import { groups, type Env } from '#configuration/variables'

export type { Env }

/** Every variable, and what must hold between them. */
export const catalogue: Catalogue<typeof groups> = {
  groups,
  rules: [...relations, ...productionRules],
  cautions,
}

/** What a developer tries out by hand must not change what tests see. */
if (process.env.NODE_ENV !== 'test' && existsSync('.env')) {
  process.loadEnvFile('.env')
}

/** `env` holds what this process was told; `warnings` what the operator should read at each start. */
export const { values: env, warnings } = readConfiguration(catalogue, process.env)
