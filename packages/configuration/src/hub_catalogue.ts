import type { Catalogue } from './catalogue.js'
import { consistencyRules } from './consistency_rules.js'
import { productionRules } from './production.js'
import { groups } from './variables.js'
import { warningRules } from './warning_rules.js'

/** Every variable, and what must hold between them. */
export const catalogue: Catalogue<typeof groups> = {
  groups,
  rules: [...consistencyRules, ...productionRules],
  warningRules,
}
