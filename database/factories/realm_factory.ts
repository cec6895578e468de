import factory from '@adonisjs/lucid/factories'

import { generatedName } from '#core/names/generated_name'
import { Realm } from '#identity/realms/realm'

export const RealmFactory = factory.define(Realm, () => ({ name: generatedName() })).build()
