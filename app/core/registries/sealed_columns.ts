import type { SealedColumn } from '#records/resealing'

/** The columns of core that hold sealed secrets. A change of the application key reseals them. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'registries', keys: ['id'], column: 'account_secret', purpose: 'registry account' },
  {
    table: 'registry_projects',
    keys: ['id'],
    column: 'account_secret',
    purpose: 'registry project account',
  },
  {
    table: 'registry_links',
    keys: ['registry_id', 'external_name'],
    column: 'new_secret',
    purpose: 'chosen registry secret',
  },
  {
    table: 'registry_workers',
    keys: ['registry_id'],
    column: 'account_secret',
    purpose: 'registry worker account',
  },
  {
    table: 'registry_workers',
    keys: ['registry_id'],
    column: 'master_account_secret',
    purpose: 'registry worker account',
  },
  { table: 'registry_hooks', keys: ['registry_id'], column: 'secret', purpose: 'registry hook' },
]
