import factory from '@adonisjs/lucid/factories'

import { generateName } from '#core/names/generate_name'
import { Registry } from '#core/registries/registry'

/** A registry that nobody is at; its address leads nowhere. */
export const RegistryFactory = factory
  .define(Registry, () => {
    const name = generateName()
    return { name, host: `${name}.invalid` }
  })
  .build()
