import factory from '@adonisjs/lucid/factories'

import { generateName } from '#core/names/generate_name'
import { Project } from '#core/projects/project'
import { clock } from '#kernel/clock'

export const ProjectFactory = factory
  .define(Project, () => ({ name: generateName(), realmId: clock.uuid() }))
  .build()
