import factory from '@adonisjs/lucid/factories'

import { generateName } from '#core/names/generate_name'
import { Node } from '#core/nodes/node'
import { clock } from '#kernel/clock'
import { RegistryFactory } from './registry_factory.js'

/** A node of some realm, which cannot log in: it has no client. */
export const NodeFactory = factory
  .define(Node, () => ({ name: generateName(), realmId: clock.uuid() }))
  .state('aggregator', (node) => (node.type = 'aggregator'))
  .relation('registry', () => RegistryFactory)
  .build()
