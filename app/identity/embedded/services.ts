import { client } from '#identity/clients/client'
import { ClientService } from '#identity/clients/client_service'
import { clientPermission } from '#identity/client_permissions/client_permission'
import { clientRole } from '#identity/client_roles/client_role'
import { clientScope } from '#identity/client_scopes/client_scope'
import { identityProvider } from '#identity/identity_providers/identity_provider'
import { permission } from '#identity/permissions/permission'
import { PermissionService } from '#identity/permissions/permission_service'
import { policy } from '#identity/policies/policy'
import { realm } from '#identity/realms/realm'
import { RealmService } from '#identity/realms/realm_service'
import { role } from '#identity/roles/role'
import { RoleService } from '#identity/roles/role_service'
import { rolePermission } from '#identity/role_permissions/role_permission'
import { scope } from '#identity/scopes/scope'
import { user } from '#identity/users/user'
import { UserService } from '#identity/users/user_service'
import { userPermission } from '#identity/user_permissions/user_permission'
import { userRole } from '#identity/user_roles/user_role'
import type { RecordService, RecordServiceOptions } from '#records/record_service'
import type { Assignment } from './assignment.js'
import { AssignmentService } from './assignment_service.js'
import { announcingSink } from './changes.js'
import { identityPool } from './database.js'
import { heard } from './heard_writes.js'
import { SeenService } from './seen_service.js'
import { SharedService } from './shared_service.js'

/** A service is made when it is first needed: routes are declared before any connection is. */
function lazily<Service extends RecordService>(
  make: (options: RecordServiceOptions) => Service,
  heardWrites: Parameters<typeof heard>[1] = ['update', 'remove']
): () => Service {
  let service: Service | undefined
  const made = () => make({ pool: identityPool(), sink: announcingSink })
  return () => (service ??= heard(made(), heardWrites))
}

const assigning = (assignment: Assignment) =>
  lazily((options) => new AssignmentService(assignment, options), ['create', 'update', 'remove'])

const clients = lazily((options) => new ClientService(client, options))

/** The services of the provider's records. */
export const services = {
  realm: lazily((options) => new RealmService(realm, options, clients)),
  user: lazily((options) => new UserService(user, options)),
  client: clients,
  role: lazily((options) => new RoleService(role, options)),
  permission: lazily((options) => new PermissionService(permission, options)),
  scope: lazily((options) => new SharedService(scope, options)),
  policy: lazily((options) => new SeenService(policy, options)),
  identityProvider: lazily((options) => new SeenService(identityProvider, options)),
  userRole: assigning(userRole),
  userPermission: assigning(userPermission),
  rolePermission: assigning(rolePermission),
  clientRole: assigning(clientRole),
  clientPermission: assigning(clientPermission),
  clientScope: assigning(clientScope),
}
