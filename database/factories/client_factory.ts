import factory from '@adonisjs/lucid/factories'

import { generateName } from '#core/names/generate_name'
import { Client } from '#identity/clients/client'
import { RealmFactory } from './realm_factory.js'

/** A client of a realm that is given (`merge({ realmId })`) or made (`with('realm')`); it has no secret. */
export const ClientFactory = factory
  .define(Client, () => ({ name: generateName() }))
  .relation('realm', () => RealmFactory)
  .build()
