import factory from '@adonisjs/lucid/factories'

import { Analysis } from '#core/analyses/analysis'
import { generateName } from '#core/names/generate_name'
import { clock } from '#kernel/clock'
import { ProjectFactory } from './project_factory.js'

/** An analysis of a project that is given (`merge({ projectId })`) or made (`with('project')`). */
export const AnalysisFactory = factory
  .define(Analysis, () => ({ name: generateName(), realmId: clock.uuid() }))
  .relation('project', () => ProjectFactory)
  .build()
