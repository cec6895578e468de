import { client } from '#identity/clients/client'
import { defineAssignment } from '#identity/embedded/assignment'
import { permission } from '#identity/permissions/permission'

export const clientPermission = defineAssignment('client', 'permission', {
  owner: () => client,
  given: () => permission,
})
