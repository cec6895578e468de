import { inject } from '@adonisjs/core'
import { Logger } from '@adonisjs/core/logger'

import { createRegistryDriver } from './create_registry_driver.js'
import { CorePool } from '#core/database'
import { MASTER_PROJECT } from '#core/names/external_name'
import { requiresInMasterRealm, permits } from '#kernel/access'
import { clock } from '#kernel/clock'
import { BadRequest, EntityConflict } from '#kernel/failures'
import { issue } from '#kernel/issues'
import type { Origin } from '#kernel/origin'
import { unseal } from '#records/sealing'

import { NameTaken, RegistryFailure, type RegistryAccess } from './registry_driver.js'

/** Prefixes of the accounts of workers, the project that each Harbor begins with, and the folder of new builds. */
const RESERVED = /^((worker|master)-|(library|incoming)$)/

const adoptAccess = requiresInMasterRealm('registry_manage')

interface RegistryState extends RegistryAccess {
  readonly isPaused: boolean
  /** Whether the platform created the project of this name. */
  readonly isOwn: boolean
}

const REGISTRY_STATE = `select r.host, r.account_name as "accountName", r.account_secret as "accountSecret",
    coalesce(s.paused_until > $3, false) as "isPaused", exists (select 1 from registry_links l
      where l.registry_id = r.id and l.external_name = $2 and l.is_adopted is false) as "isOwn"
  from registries r left join registry_states s on s.registry_id = r.id where r.id = $1`

/** The time limit of the request that checks whether a registry has a project of a name. */
const NAME_LIMIT_MS = 3_000

export interface RequestedName {
  readonly registryId: string
  readonly externalName: string
  readonly isForMasterImages?: boolean
}

/**
 * Authorizes the names that callers choose for projects in registries. A project that is adopted becomes accessible to the
 * caller, so only administrators of the installation may choose the name of an existing project.
 */
@inject()
export class ExternalNames {
  readonly #pool: CorePool
  readonly #logger: Logger

  constructor(pool: CorePool, logger: Logger) {
    this.#pool = pool
    this.#logger = logger
  }

  /**
   * Throws if the caller may not choose this name. Returns whether an existing project of this name is adopted. If the
   * registry is unreachable, the check is repeated when the project is linked.
   */
  async authorize({ actor }: Origin, requested: RequestedName): Promise<boolean> {
    requireUnreserved(requested)
    if (permits(adoptAccess, actor)) {
      return true
    }
    if (await this.#isTaken(requested)) {
      const { message } = new NameTaken(requested.externalName)
      throw new EntityConflict(message, {
        issues: [issue('value_exists', ['externalName'], message)],
      })
    }
    return false
  }

  async #isTaken({ registryId, externalName: name }: RequestedName): Promise<boolean> {
    const { rows } = await this.#pool.read<RegistryState>({
      name: 'registry-state-for-name',
      text: REGISTRY_STATE,
      values: [registryId, name, new Date(clock.now())],
    })
    const [registry] = rows
    if (!registry || registry.isPaused || registry.isOwn) {
      return false
    }
    try {
      const accountSecret = unseal('registry account', registry.accountSecret)
      const driver = createRegistryDriver(
        { ...registry, accountSecret },
        { limitMs: NAME_LIMIT_MS }
      )
      return (await driver.find({ name, owner: '', account: null })) !== null
    } catch (error) {
      if (!(error instanceof RegistryFailure)) {
        throw error
      }
      this.#logger.warn(
        { err: error, registryId },
        'could not check whether a name is free in a registry'
      )
      return false
    }
  }
}

function requireUnreserved({ externalName, isForMasterImages }: RequestedName): void {
  const isOfMaster = externalName === MASTER_PROJECT && !isForMasterImages
  if (RESERVED.test(externalName) || isOfMaster) {
    const message = `The names ${MASTER_PROJECT}, library and incoming and the prefixes worker- and master- are reserved: choose another name`
    throw new BadRequest('Property externalName is invalid', {
      issues: [issue('value_invalid', ['externalName'], message)],
    })
  }
}
