import type { Analysis } from './analysis.js'
import { requireUnlocked } from './configuration_lock.js'
import type { ProjectOfAnalysis } from './project_of_analysis.js'
import type { Actor } from '#kernel/actor'
import { BadRequest, PermissionDenied } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { RowValues } from '#records/record_store'
import type { Row } from '#records/row'
import { isRealmWritable } from '#kernel/realm'

/** Columns that cannot change while the configuration is locked. */
const LOCKED_COLUMNS = ['masterImageId', 'imageCommandArguments', 'registryId'] as const

/** Analyses are created by the realm of the project, and by the realms of nodes that approved the project. */
export function requireMember(actor: Actor, { realmId, hasNodeOfActor }: ProjectOfAnalysis): void {
  if (!isRealmWritable(actor, realmId) && !hasNodeOfActor) {
    throw new PermissionDenied('Your realm takes no part in the project')
  }
}

/** Converts a body to its stored form, which can be compared with the row. */
export function toStored<Body extends { imageCommandArguments?: unknown }>({
  imageCommandArguments: sent,
  ...body
}: Body) {
  const text = sent ? JSON.stringify(sent) : null
  return sent === undefined ? body : { ...body, imageCommandArguments: text }
}

/** Throws if a locked column would change, or if an assigned registry would be replaced. */
export function requireChangeable(
  previous: Row<typeof Analysis>,
  values: RowValues<typeof Analysis>
): void {
  if (LOCKED_COLUMNS.some((name) => isChanged(name, previous, values))) {
    requireUnlocked(previous)
  }
  const { registryId } = values
  if (
    isChanged('registryId', previous, values) &&
    previous.registryId !== null &&
    registryId !== null
  ) {
    const message =
      'The analysis already has a registry, which stores its images: create another analysis to use another registry'
    throw new BadRequest(message, { issues: [issue('value_invalid', ['registryId'], message)] })
  }
}

/** A new image resets the arguments, which belong to the former image. */
export function withImage(
  previous: Row<typeof Analysis>,
  values: RowValues<typeof Analysis>
): RowValues<typeof Analysis> {
  return isChanged('masterImageId', previous, values)
    ? {
        ...values,
        imageCommandArguments: null,
        configurationImageValid: values.masterImageId !== null,
      }
    : values
}

function isChanged(
  name: (typeof LOCKED_COLUMNS)[number],
  previous: Row<typeof Analysis>,
  values: RowValues<typeof Analysis>
): boolean {
  return values[name] !== undefined && values[name] !== previous[name]
}
