import type { SealedColumn } from '#records/resealing'

/** The sealed columns in the database of the embedded provider. */
export const IDENTITY_SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'clients', keys: ['id'], column: 'secret', purpose: 'client secret' },
  {
    table: 'identity_signing_keys',
    keys: ['kid'],
    column: 'private_key',
    purpose: 'signing key',
  },
]
