const RECORDS = [
  ...['realm', 'user', 'client', 'role', 'permission'],
  ...['scope', 'client_scope', 'policy', 'identity_provider'],
]
const VERBS = ['create', 'read', 'update', 'delete'] as const

/** Lets users change what describes themselves, and their password. */
export const SELF_MANAGE = 'user_self_manage'

/** The permissions for the provider's own records. */
export const OWN_PERMISSIONS: readonly string[] = [
  ...RECORDS.flatMap((record) => VERBS.map((verb) => `${record}_${verb}`)),
  SELF_MANAGE,
]
