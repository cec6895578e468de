import { accessSync, constants } from 'node:fs'

import { GROUPS_PATH, isUnified } from '#node/containers/control_groups/group_folders'

/** Why groups that limit memory cannot be made here; undefined if they can. */
export function groupsUnavailable(): string | undefined {
  try {
    accessSync(isUnified() ? GROUPS_PATH : `${GROUPS_PATH}/memory`, constants.W_OK)
    return undefined
  } catch (error) {
    return `Control groups cannot be written here (${(error as Error).message}): use the driver bubblewrap`
  }
}
