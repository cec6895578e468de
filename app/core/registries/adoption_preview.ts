import { inject } from '@adonisjs/core'
import type pg from 'pg'

import { CorePool } from '#core/database'
import { registryProject } from '#core/registry_projects/registry_project'
import { enforce, requiresInMasterRealm } from '#kernel/access'
import { clock } from '#kernel/clock'
import { EntityNotFound, ServiceUnavailable } from '#kernel/failures'
import { isUuid } from '#kernel/is_uuid'
import type { Origin } from '#kernel/origin'
import { unseal } from '#records/sealing'

import { createRegistryDriver } from './create_registry_driver.js'
import { RegistryFailure, type ExistingProject, type RegistryAccess } from './registry_driver.js'

export const adoptionAccess = requiresInMasterRealm('registry_manage')

const LIMIT_MS = 5_000

const SELECT = `select p.external_name as "externalName", p.public as "isPublic",
    r.host, r.account_name as "accountName", r.account_secret as "accountSecret",
    coalesce(s.paused_until > $2, false) as "isPaused", coalesce(l.is_adopted is false, false) as "isOwn"
  from registry_projects p join registries r on r.id = p.registry_id
  left join registry_states s on s.registry_id = r.id
  left join registry_links l on l.registry_id = r.id and l.external_name = p.external_name
  where p.id = $1`

interface ProjectRow extends RegistryAccess {
  readonly externalName: string
  readonly isPublic: boolean
  readonly isPaused: boolean
  readonly isOwn: boolean
}

/** What the registry has under the name of a registry project, and what a link would change there. */
export interface Adoption {
  readonly externalName: string
  readonly exists: boolean
  /** Whether the platform made it. */
  readonly isOwn: boolean
  readonly isPublic: boolean | null
  readonly repositories: number | null
  readonly changes: readonly string[]
}

/** Shows administrators what a link or an adoption changes, before they ask for it. Changes nothing. */
@inject()
export class AdoptionPreview {
  readonly #pool: pg.Pool

  constructor(pool: CorePool) {
    this.#pool = pool
  }

  async read({ actor }: Origin, id: string): Promise<Adoption> {
    enforce(adoptionAccess, actor)
    const project = await this.#find(id)
    const existing = await findExisting(project, id)
    const isOwn = existing !== null && (project.isOwn || existing.isMarked)
    return {
      externalName: project.externalName,
      exists: existing !== null,
      isOwn,
      isPublic: existing?.isPublic ?? null,
      repositories: existing?.repositories ?? null,
      changes: changesOf(project, existing, isOwn),
    }
  }

  async #find(id: string): Promise<ProjectRow> {
    const values = [isUuid(id) ? id : null, new Date(clock.now())]
    const { rows } = await this.#pool.query<ProjectRow>(SELECT, values)
    const [row] = rows
    if (!row) {
      throw new EntityNotFound(registryProject.label)
    }
    return { ...row, accountSecret: unseal('registry account', row.accountSecret) }
  }
}

/** A registry that refuses the account gets no further request during its pause. */
async function findExisting(project: ProjectRow, owner: string): Promise<ExistingProject | null> {
  if (project.isPaused) {
    throw new ServiceUnavailable(
      'The registry did not answer, or refused the account of the platform: check host and account, then set it up'
    )
  }
  try {
    const driver = createRegistryDriver(project, { limitMs: LIMIT_MS })
    return await driver.find({ name: project.externalName, owner, account: null })
  } catch (error) {
    if (error instanceof RegistryFailure) {
      throw new ServiceUnavailable(`The registry does not answer: ${error.message}`, {
        cause: error,
      })
    }
    throw error
  }
}

const visibility = (isPublic: boolean) => (isPublic ? 'public' : 'private')

function changesOf(
  { externalName, isPublic }: ProjectRow,
  existing: ExistingProject | null,
  isOwn: boolean
): string[] {
  if (!existing) {
    return [
      `a ${visibility(isPublic)} project ${externalName} is created, with an account and a webhook`,
    ]
  }
  const isWidened = isPublic && !existing.isPublic
  const stays = isPublic === existing.isPublic || (isWidened && !isOwn)
  return [
    isOwn
      ? 'its account and its webhook are repaired'
      : `an account is created that can pull from its ${existing.repositories} repositories, and its webhook "api" is set`,
    stays
      ? `it stays ${visibility(existing.isPublic)}`
      : `it becomes ${visibility(isPublic)}, and was ${visibility(existing.isPublic)}`,
  ]
}
