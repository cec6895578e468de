import { generateName } from '#core/names/generate_name'
import type { Actor } from '#kernel/actor'
import type { BodyOf } from '#kernel/body'
import { clock } from '#kernel/clock'

import type { createAnalysis } from './analysis.js'
import { toStored } from './analysis_rules.js'
import type { ProjectOfAnalysis } from './project_of_analysis.js'

/** The values of a new analysis. It belongs to the realm of the project, and defaults to the image of the project. */
export function newAnalysis(
  body: BodyOf<typeof createAnalysis>,
  project: ProjectOfAnalysis,
  actor: Actor
) {
  const masterImageId = body.masterImageId ?? project.masterImageId
  return {
    ...toStored(body),
    id: clock.uuid(),
    projectId: body.projectId,
    name: body.name ?? generateName(),
    masterImageId,
    configurationImageValid: masterImageId !== null,
    realmId: project.realmId,
    userId: actor.id,
  }
}
