import type { Analysis } from './analysis.js'
import { requireUnlocked } from './configuration_lock.js'
import type { ProjectOfAnalysis } from './project_of_analysis.js'
import type { Actor } from '#kernel/actor'
import { BadRequest, PermissionDenied } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { RowValues } from '#records/record_store'
import type { Row } from '#records/row'
import { isRealmWritable } from '#kernel/realm'

/** What stays as it is while nodes are asked about it. */
const LOCKED_COLUMNS = ['masterImageId', 'imageCommandArguments', 'registryId'] as const

/** The realms that take part in a project may analyse in it: its own realm, and that of each node that agreed to it. */
export function requireMember(actor: Actor, { realmId, hasNodeOfActor }: ProjectOfAnalysis): void {
  if (!isRealmWritable(actor, realmId) && !hasNodeOfActor) {
    throw new PermissionDenied('Your realm takes no part in the project')
  }
}

/** What was sent in the form in which it is kept, so that the two can be compared. */
export function toStored<Body extends { imageCommandArguments?: unknown }>({
  imageCommandArguments: sent,
  ...body
}: Body) {
  const text = sent ? JSON.stringify(sent) : null
  return sent === undefined ? body : { ...body, imageCommandArguments: text }
}

/** Throws where something would change that has to stay as it is. */
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
    const message = 'The analysis has a registry already, where its images are'
    throw new BadRequest(message, { issues: [issue('value_invalid', ['registryId'], message)] })
  }
}

/** Arguments are those of an image: another one is started without them. */
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
