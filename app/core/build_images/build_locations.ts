import { inject } from '@adonisjs/core'
import { access } from 'node:fs/promises'
import { join } from 'node:path'

import { coreSettings } from '#core/core_settings'
import { CorePool } from '#core/database'
import { guardRegistry } from '#core/registries/drivers/registry_http'
import { hostRules } from '#core/registries/host_rules'
import { selectBuildRegistry } from '#core/registries/build_registry'
import type { ImageRepository } from '#oci/copy_blob'
import { FolderStore } from '#oci/folder/folder_store'
import { LOCAL_IMAGES } from '#oci/open_image_store'
import { RegistryStore } from '#oci/registry/registry_store'
import { unseal } from '#records/sealing'
import { requestTracing } from '#tracing/tracing'

/** The path of builds in the image folder if no registry project defines it. */
const INCOMING = 'incoming'

interface BuildRegistry {
  readonly host: string
  readonly accountName: string | null
  readonly sealed: string | null
  readonly project: string | null
}

/** Selects the registry of a build as the worker does. */
const SELECT_REGISTRY = {
  name: 'registry-of-build',
  text: `select r.host, r.account_name as "accountName", r.account_secret as sealed, p.external_name as project
    from registries r
    left join registry_projects p on p.registry_id = r.id and p.type = 'incoming'
    where r.id = ${selectBuildRegistry('$1::uuid')}
    order by p.created_at, p.id limit 1`,
}

/** Finds the repository that the worker pushes builds of an analysis to. */
@inject()
export class BuildLocations {
  readonly #pool: CorePool
  readonly #folder = coreSettings().imagesPath

  constructor(pool: CorePool) {
    this.#pool = pool
  }

  /** Returns undefined if the worker cannot have pushed a build. */
  async find(analysisId: string, registryId: string | null): Promise<ImageRepository | undefined> {
    const { rows } = await this.#pool.query<BuildRegistry>({
      ...SELECT_REGISTRY,
      values: [registryId],
    })
    const [registry] = rows
    if (!registry || registry.host === LOCAL_IMAGES) {
      return this.#findInFolder(`${registry?.project ?? INCOMING}/${analysisId}`)
    }
    return registry.project === null
      ? undefined
      : { store: openStore(registry), repository: `${registry.project}/${analysisId}` }
  }

  /** Does not create the folder if it does not exist yet. */
  async #findInFolder(repository: string): Promise<ImageRepository | undefined> {
    const exists = await access(join(this.#folder, 'oci-layout')).then(
      () => true,
      () => false
    )
    return exists ? { store: await FolderStore.open(this.#folder), repository } : undefined
  }
}

function openStore({ host, accountName, sealed }: BuildRegistry): RegistryStore {
  const accountSecret = unseal('registry account', sealed)
  return RegistryStore.open(
    { host, accountName, accountSecret },
    {
      isInsecure: hostRules().isInsecure(host),
      guard: guardRegistry(host),
      attempts: 1,
      tracing: requestTracing,
    }
  )
}
