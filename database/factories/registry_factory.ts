import factory from '@adonisjs/lucid/factories'

import { generatedName } from '#core/names/generated_name'
import { Registry } from '#core/registries/registry'

/** A registry that nobody is at; its address leads nowhere. */
export const RegistryFactory = factory
  .define(Registry, () => {
    const name = generatedName()
    return { name, host: `${name}.invalid` }
  })
  .build()
