import { PERMISSION_DESCRIPTIONS, PLATFORM_PERMISSIONS } from '#auth/permission_names'
import { OWN_PERMISSION_DESCRIPTIONS } from './own_permissions.js'

export interface BuiltInRole {
  readonly description: string
  readonly permissions: readonly string[]
}

/** The built-in permissions and their descriptions. */
export const BUILT_IN_PERMISSIONS: Readonly<Record<string, string>> = {
  ...PERMISSION_DESCRIPTIONS,
  ...OWN_PERMISSION_DESCRIPTIONS,
}

/** The built-in roles of a new installation, available in every realm. */
export const BUILT_IN_ROLES: Readonly<Record<'admin' | 'researcher' | 'steward', BuiltInRole>> = {
  admin: {
    description:
      'Administers the installation. Has all permissions; members of the master realm have them in every realm.',
    permissions: Object.keys(BUILT_IN_PERMISSIONS),
  },
  researcher: {
    description:
      'Creates projects and analyses, and approves those of other realms for the nodes of its own.',
    permissions: [
      ...PLATFORM_PERMISSIONS.filter((name) => /^(analysis|project)_/.test(name)),
      'bucket_update',
      'user_self_manage',
    ],
  },
  steward: {
    description: 'Manages the nodes of its own realm: their secrets, approvals and runs.',
    permissions: [
      ...['client_read', 'client_update', 'node_create', 'node_update', 'node_delete'],
      ...['project_approve', 'analysis_approve'],
    ],
  },
}
