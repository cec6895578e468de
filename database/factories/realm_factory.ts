import factory from '@adonisjs/lucid/factories'

import { generateName } from '#core/names/generate_name'
import { Realm } from '#identity/realms/realm'

export const RealmFactory = factory.define(Realm, () => ({ name: generateName() })).build()
