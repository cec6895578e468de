import { defineAssignment } from '#identity/embedded/assignment'
import { permission } from '#identity/permissions/permission'
import { role } from '#identity/roles/role'

export const rolePermission = defineAssignment('role', 'permission', {
  owner: () => role,
  given: () => permission,
})
