import factory from '@adonisjs/lucid/factories'

import { generateName } from '#core/names/generate_name'
import { User } from '#identity/users/user'
import { RealmFactory } from './realm_factory.js'

/** A user of a realm that is given (`merge({ realmId })`) or made (`with('realm')`); it has no password. */
export const UserFactory = factory
  .define(User, () => ({ name: generateName() }))
  .relation('realm', () => RealmFactory)
  .build()
