import factory from '@adonisjs/lucid/factories'

import { generatedName } from '#core/names/generated_name'
import { Node } from '#core/nodes/node'
import { clock } from '#kernel/clock'
import { RegistryFactory } from './registry_factory.js'

/** A node of some realm, which cannot log in: it has no client. */
export const NodeFactory = factory
  .define(Node, () => ({ name: generatedName(), realmId: clock.uuid() }))
  .state('aggregator', (node) => (node.type = 'aggregator'))
  .relation('registry', () => RegistryFactory)
  .build()
