import { access } from 'node:fs/promises'
import { join } from 'node:path'

import { guardRegistry } from '#core/registries/drivers/registry_http'
import { hostRules } from '#core/registries/host_rules'
import { selectBuildRegistry } from '#core/registries/build_registry'
import type { DatabasePool } from '#database/database_pool'
import type { ImageRepository } from '#oci/copy_blob'
import { FolderStore } from '#oci/folder/folder_store'
import { LOCAL_IMAGES } from '#oci/open_image_store'
import { RegistryStore } from '#oci/registry/registry_store'
import { unseal } from '#records/sealing'

/** What the folder of images calls the part for builds, where no registry project says it. */
const INCOMING = 'incoming'

interface BuildRegistry {
  readonly host: string
  readonly accountName: string | null
  readonly sealed: string | null
  readonly project: string | null
}

/** The registry that a build of an analysis goes to, as our worker chooses it. */
const SELECT_REGISTRY = {
  name: 'registry-of-build',
  text: `select r.host, r.account_name as "accountName", r.account_secret as sealed, p.external_name as project
    from registries r
    left join registry_projects p on p.registry_id = r.id and p.type = 'incoming'
    where r.id = ${selectBuildRegistry('$1::uuid')}
    order by p.created_at, p.id limit 1`,
}

/** Where our worker puts builds, so that core can look at them. */
export class BuildLocations {
  readonly #pool: DatabasePool
  readonly #folder: string

  constructor(pool: DatabasePool, folder: string) {
    this.#pool = pool
    this.#folder = folder
  }

  /** Undefined where our worker cannot have put anything. */
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

  /** A folder that nobody has made yet is not made for looking into it. */
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
    { isInsecure: hostRules.isInsecure(host), guard: guardRegistry(host), attempts: 1 }
  )
}
