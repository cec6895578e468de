import factory from '@adonisjs/lucid/factories'

import { generatedName } from '#core/names/generated_name'
import { User } from '#identity/users/user'
import { RealmFactory } from './realm_factory.js'

/** A user of a realm that is given (`merge({ realmId })`) or made (`with('realm')`); it has no password. */
export const UserFactory = factory
  .define(User, () => ({ name: generatedName() }))
  .relation('realm', () => RealmFactory)
  .build()
