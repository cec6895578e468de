import { client } from '#identity/clients/client'
import { defineAssignment } from '#identity/embedded/assignment'
import { role } from '#identity/roles/role'

export const clientRole = defineAssignment('client', 'role', {
  owner: () => client,
  given: () => role,
})
