import type { Purpose } from '#records/sealing'

interface KeptSecret {
  readonly table: string
  readonly column: string
  readonly purpose: Purpose
}

/** Where the database of core keeps secrets, and what each is sealed for: a change of the key seals all of these anew. */
export const KEPT_SECRETS: readonly KeptSecret[] = [
  { table: 'registries', column: 'account_secret', purpose: 'registry account' },
  { table: 'registry_projects', column: 'account_secret', purpose: 'registry project account' },
  { table: 'registry_links', column: 'new_secret', purpose: 'chosen registry secret' },
  { table: 'registry_hooks', column: 'secret', purpose: 'registry hook' },
]
