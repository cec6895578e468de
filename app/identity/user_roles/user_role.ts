import { defineAssignment } from '#identity/embedded/assignment'
import { role } from '#identity/roles/role'
import { user } from '#identity/users/user'

export const userRole = defineAssignment('user', 'role', { owner: () => user, given: () => role })
