import { defineAssignment } from '#identity/embedded/assignment'
import { permission } from '#identity/permissions/permission'
import { user } from '#identity/users/user'

export const userPermission = defineAssignment('user', 'permission', {
  owner: () => user,
  given: () => permission,
})
