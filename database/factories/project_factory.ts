import factory from '@adonisjs/lucid/factories'

import { generatedName } from '#core/names/generated_name'
import { Project } from '#core/projects/project'
import { clock } from '#kernel/clock'

export const ProjectFactory = factory
  .define(Project, () => ({ name: generatedName(), realmId: clock.uuid() }))
  .build()
