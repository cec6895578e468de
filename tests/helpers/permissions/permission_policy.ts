import { authSettings } from '#auth/auth_settings'
import type { PermissionPolicy } from '#auth/verification/permission_policy'
import { useSettings } from '#tests/helpers/settings'

/** Sets a policy until the returned function is called. */
export const usePermissionPolicy = (permissionPolicy: PermissionPolicy): (() => void) =>
  useSettings(authSettings, { permissionPolicy })
